//! What can be measured of an answer.

macro_rules! measures {
    ($($(#[$doc:meta])* $measure:ident => $name:literal, $words:literal, $kind:ident;)*) => {
        /// A number that a certificate may hold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Measure { $($(#[$doc])* $measure),* }

        impl Measure {
            /// All of them.
            pub const ALL: &'static [Measure] = &[$(Measure::$measure),*];

            /// Its name in JSON, Python and files.
            pub fn name(self) -> &'static str {
                match self { $(Measure::$measure => $name),* }
            }

            /// Its name in sentences.
            pub fn words(self) -> &'static str {
                match self { $(Measure::$measure => $words),* }
            }

            fn kind(self) -> Kind {
                match self { $(Measure::$measure => Kind::$kind),* }
            }
        }
    };
}

/// What a measure is for.
#[derive(PartialEq, Eq)]
enum Kind {
    /// It says how good the answer is, and is shown with it.
    Judgement,
    /// An objective, or a part of one.
    Objective,
    /// A property of the function that was found.
    Property,
    /// A whole number.
    Count,
}

measures! {
    /// ‖right-hand side − system·answer‖ over ‖right-hand side‖, the largest over the outputs, computed again with the
    /// true kernel values.
    RelativeResidual => "relative_residual", "relative residual", Judgement;
    /// ‖y − f‖ over ‖y‖ on the rows of the fit, counted by their shares: the square root of the empirical risk over
    /// that of f = 0. It is what early stopping and filters keep away from 0.
    Discrepancy => "discrepancy", "discrepancy", Judgement;
    /// ½·Σ p·(y − f)² over the rows of the fit with their shares p, summed over the outputs, of a descent or a filter.
    EmpiricalRisk => "empirical_risk", "empirical risk", Judgement;
    /// ‖(y − f) − r(T)(y − f⁰)‖ over ‖y‖: how far the residuals are from what the filter r, or the closed form of the
    /// descent from f⁰, makes them.
    FilterError => "filter_error", "filter error", Judgement;
    /// The mean loss of rows just before they were learnt from, of a stochastic descent: of the last 1024 rows or so,
    /// where older ones fade.
    RunningLoss => "running_loss", "running loss", Judgement;
    /// How much further up a coefficient is pulled that may rise than one that may fall, the largest over the programs: what
    /// LIBSVM's tolerance is of.
    KktViolation => "kkt_violation", "largest violation", Judgement;
    /// The objective at the answer, summed over the outputs: not below it.
    Primal => "primal", "objective", Objective;
    /// A lower bound of the least objective, where duality gives one: not above it.
    Dual => "dual", "dual objective", Objective;
    /// How much of primal and dual stands there for rounding: that of the kernel values first, as if each were good to
    /// four units of rounding, and that of the sums. No solver can make the gap smaller than this.
    Rounding => "rounding", "rounding", Objective;
    /// log p(y | X, θ) of a Gaussian process, Laplace's approximation of it for classes.
    LogEvidence => "log_evidence", "log evidence", Property;
    /// The mean of the loss over the rows of the fit and the outputs, of the function that was found.
    MeanLoss => "mean_loss", "mean loss", Property;
    /// ‖f‖, of several outputs √Σ‖f‖².
    Norm => "norm", "norm", Property;
    /// The alpha whose penalty gives the function of a bound of the norm.
    Alpha => "alpha", "alpha", Property;
    /// The degrees of freedom of a filter, Σ σ·g(σ).
    Freedom => "freedom", "degrees of freedom", Property;
    /// The step of a descent: the last one, or the one that all were made from.
    StepSize => "step_size", "step size", Property;
    /// The largest eigenvalue of K/n.
    LargestEigenvalue => "largest_eigenvalue", "largest eigenvalue of K/n", Property;
    /// What was added to the diagonal because the matrix was not positive definite to rounding.
    Jitter => "jitter", "jitter", Property;
    /// An estimate of the condition number of the system that was solved, from below.
    Condition => "condition", "condition number", Property;
    /// Σ w‖φ(x) − μ‖² of clusters: the weighted sum of squared distances of the rows to the means of their clusters.
    Inertia => "inertia", "inertia", Property;
    /// A number that no partition into so many clusters has an inertia below.
    InertiaBound => "inertia_bound", "lower bound of the inertia", Property;
    /// The last eigenvalue that was used less the next one.
    Eigengap => "eigengap", "gap between eigenvalues", Property;
    /// The correlation of the first pair of functions of two inputs, on the rows of the fit.
    Correlation => "correlation", "correlation", Property;
    /// Rows that are nearer to the mean of another cluster.
    Misplaced => "misplaced", "rows nearer to another mean", Count;
    /// Starts that led to the answer.
    RestartsAtBest => "restarts_at_best", "starts that led to the answer", Count;
    /// Rows with a coefficient that is not 0.
    SupportVectors => "support_vectors", "support vectors", Count;
    /// Those with a coefficient between its bounds, in some program.
    FreeSupportVectors => "free_support_vectors", "free support vectors", Count;
    /// Those with a coefficient at a bound, in some program.
    BoundSupportVectors => "bound_support_vectors", "support vectors at a bound", Count;
    /// Kernel values that were computed.
    KernelEvaluations => "kernel_evaluations", "kernel values", Count;
    /// Iterations, of an iterative method.
    Iterations => "iterations", "iterations", Count;
    /// Rank of the factor or the preconditioner, or the numerical rank of the matrix.
    Rank => "rank", "rank", Count;
    /// Rows that were learnt from, each time one was.
    RowsSeen => "rows_seen", "rows seen", Count;
    /// The share of the variance in feature space that the components have.
    ExplainedVariance => "explained_variance", "explained share of the variance", Property;
    /// A number that no variance but those of the components is above, up to the residual: what may have been missed.
    MissedVariance => "missed_variance", "largest variance that may have been missed", Property;
    /// The share of the trace of K that landmarks leave.
    ApproximationError => "approximation_error", "share of the trace that landmarks leave", Property;
}

impl Measure {
    /// The measure of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|measure| measure.name() == name)
    }

    /// Whether it says how good the answer is.
    pub(super) fn judges(self) -> bool {
        self.kind() == Kind::Judgement
    }

    /// Whether it is a whole number.
    pub fn is_count(self) -> bool {
        self.kind() == Kind::Count
    }
}
