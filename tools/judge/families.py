"""Families of functions with a known border between kernels and others, drawn on both sides of it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Draw = Callable[[Random], str]


def near(r: Random, border: float) -> str:
    """A decimal at, near or not so near a border."""
    away = r.choice([0, 0, 1e-9, 1e-3, 0.01, 0.1, 0.3, 1]) * r.choice([1, -1])
    value = f"{border + away:.10f}".rstrip("0").rstrip(".")
    if r.random() < 0.1:
        value = (value if "." in value else value + ".") + "0" * 12 + "1"
    return value if not value.startswith("-") else f"({value})"


def coefficient(r: Random) -> str:
    return r.choice(
        [
            "1",
            "2",
            "3",
            "0.5",
            "0.1",
            "1.5",
            "0",
            "5",
            "10",
            "1/3",
            "sqrt(2)",
            "pi",
            "(-1)",
            "(-0.5)",
            "(-0.1)",
            "(-2)",
            "0.01",
        ]
    )


def distance(r: Random) -> str:
    """What stands for t: mostly x − y."""
    f = r.choice(["x", "x", "x", "x", "x", "2*x", "x^3", "exp(x)", "sin(x)", "abs(x)", "x/3"])
    return f"({f}-{f.replace('x', 'y') if 'exp' not in f else 'exp(y)'})"


def waves(r: Random) -> str:
    t = distance(r)
    return r.choice(
        [
            f"{coefficient(r)}+{coefficient(r)}*cos({t})+{coefficient(r)}*cos(2*{t})",
            f"cos({t})^{r.choice([2, 3, 4, 6])}-{near(r, r.choice([0.5, 0.375, 0]))}",
            f"exp({coefficient(r)}*cos({t}))-{near(r, 1)}",
            f"1/({near(r, 1)}-cos({t}))",
            f"-log({near(r, 1)}-{near(r, 0.5)}*cos({t}))",
            f"{near(r, 1)}-abs(sin({t}))",
            f"abs(cos({t}))+{coefficient(r)}",
            f"exp(-{coefficient(r)}*sin({t}/2)^2)",
            f"{near(r, 1)}-{coefficient(r)}*sin({t})^2",
            f"cos({t})*cos({coefficient(r)}*{t})-{near(r, 0)}",
            f"sqrt({near(r, 1)}+cos({t}))",
            f"cos({t})+{coefficient(r)}*sin(abs({t}))",
        ]
    )


def damped(r: Random) -> str:
    t, a = distance(r), coefficient
    return r.choice(
        [
            f"({a(r)}+{a(r)}*abs{t}+{a(r)}*{t}^2)*exp(-{r.choice(['', '2*', 'sqrt(5)*'])}abs{t})",
            f"({a(r)}+{a(r)}*abs{t}+{a(r)}*{t}^2+{a(r)}*abs{t}^3)*exp(-abs{t})",
            f"({a(r)}+{a(r)}*{t}^2)*exp(-{t}^2/2)",
            f"({a(r)}+{a(r)}*{t}^2+{a(r)}*{t}^4)*exp(-{r.choice(['', '2*', '0.5*'])}{t}^2)",
            f"{a(r)}*exp(-{t}^2)+{a(r)}*exp(-2*{t}^2)",
            f"{a(r)}*exp(-abs{t})+{a(r)}*exp(-2*abs{t})",
            f"exp(-2*abs{t})-{near(r, 0.5)}*exp(-abs{t})",
            f"exp(-2*{t}^2)-{near(r, 0.7071067811)}*exp(-{t}^2)",
            f"exp(-abs{t})*({a(r)}*cos({t})+{a(r)}*sin(abs{t}))",
            f"exp(-abs{t})*({a(r)}*cos({r.choice('123')}*{t})-cos({t})*cos({r.choice('123')}*{t})+{a(r)})",
            f"exp(-abs{t})*({a(r)}*sin(abs{t})-sin(abs{t})*{r.choice(['sin', 'cos'])}({r.choice('23')}*abs{t})+{a(r)})",
            f"exp(-abs{t}^{near(r, 2)})",
            f"exp(-abs{t}^{near(r, 1)})*{a(r)}",
            f"1/({near(r, 1)}+abs{t}^{near(r, 2)})^{r.choice(['1', '2', '0.5', '3'])}",
            f"1/cosh({t})^{r.choice(['1', '2', '0.5'])}-{near(r, 0)}",
            f"1-tanh(abs{t})^{near(r, 1)}",
            f"log({near(r, 1)}+1/(1+abs{t}))",
            f"{near(r, 0.9)}^abs{t}",
            f"({a(r)}+x*y)*exp(-{t}^2)",
        ]
    )


def compact(r: Random) -> str:
    t, a = distance(r), coefficient
    m = f"min(1,abs{t})"
    return r.choice(
        [
            f"max(0,1-abs{t})^{near(r, r.choice([1, 2, 3]))}",
            f"max(0,{near(r, 1)}-{r.choice(['', '2*', '0.5*'])}abs{t})+{a(r)}",
            f"max(0,1-abs{t})^{r.choice([1, 2, 3, 4, 5])}*({a(r)}*abs{t}+1)",
            f"max(0,1-abs{t})^{r.choice([3, 4, 5, 6])}*({a(r)}*{t}^2+{a(r)}*abs{t}+1)",
            f"max(0,1-abs{t})^3*({near(r, 3)}*abs{t}+1)",
            f"max(0,1-abs{t})^4*({near(r, 4)}*abs{t}+1)",
            f"max(0,1-abs{t})^2*(1+{near(r, 0.5)}*abs{t})",
            f"1-{near(r, 1.5)}*{m}+{near(r, 0.5)}*{m}^3",
            f"max({a(r)},1-abs{t})",
            f"exp(-min({near(r, 1)},abs{t}))",
            f"exp(-max({near(r, 0)},abs{t}))",
            f"max(0,1-{t}^2)^{r.choice([1, 2, 3])}",
            f"max(0,1-abs{t})*cos({r.choice(['pi*', '2*', ''])}{t})",
            f"{near(r, 1)}-{m}",
            f"1/(1+{m})",
            f"max(0,1-abs{t}^{near(r, 1)})",
            f"max(0,1-sqrt(abs{t}))-{near(r, 0)}",
            f"max({near(r, 0)},min({near(r, 1)},2-abs{t}))",
        ]
    )


def brownian(r: Random) -> str:
    a = coefficient
    lo, hi = "min(x,y)", "max(x,y)"
    return r.choice(
        [
            f"{lo}-{near(r, 1)}*x*y",
            f"{lo}*({near(r, 1)}-{hi})",
            f"{lo}^{near(r, 1)}*({near(r, 1)}-{hi})^{near(r, 1)}",
            f"sqrt({lo}*({near(r, 1)}+{a(r)}*{hi}))",
            f"{lo}^2*({near(r, 3)}*{hi}-{lo})",
            f"{lo}^{near(r, 2)}/{hi}^{near(r, 1)}",
            f"{near(r, 1)}-{hi}",
            f"{lo}+{a(r)}*{hi}",
            f"{lo}-{near(r, 0)}",
            f"({lo}+{a(r)})*({hi}+{a(r)})",
            f"exp({a(r)}*{lo}+{a(r)}*{hi})",
            f"cosh({a(r)}*{lo})*cosh({near(r, 1)}-{hi})",
            f"sinh({lo})*sinh({near(r, 1)}-{hi})",
            f"sinh({lo})*exp(-{hi})+{a(r)}",
            f"(abs(x)^{near(r, 1)}+abs(y)^{near(r, 1)}-abs(x-y)^{near(r, 1)})/2",
            f"abs(x)^{{p}}+abs(y)^{{p}}-{near(r, 1)}*abs(x-y)^{{p}}".replace("{p}", near(r, r.choice([1, 2]))),
            f"abs(x+y)^{{p}}-abs(x-y)^{{p}}".replace("{p}", near(r, r.choice([1, 0.5, 2]))),
            f"exp(-abs(x-y))-{near(r, 1)}*exp(-x-y)",
            f"{a(r)}+{a(r)}*abs(x-y)+{a(r)}*(x-y)^2",
            f"(x-y)^2-{near(r, 1)}*abs(x-y)+{near(r, 1 / 6)}",
            f"{near(r, 1 / 30)}-(x-y)^2+2*abs(x-y)^3-(x-y)^4",
            f"{near(r, 1)}-abs(x-y)",
            f"{near(r, 0.5)}-abs(x-y)*(1-abs(x-y))",
            f"log({near(r, 1)}+{lo})",
            f"-log({near(r, 1)}-{lo})",
            f"x*y*{lo}-(x+y)*{lo}^2/2+{near(r, 1 / 3)}*{lo}^3",
            f"min(max(x,{a(r)}),max(y,{a(r)}))",
            f"max(min(x,y),{a(r)})",
            f"min(x,{a(r)})*min(y,{a(r)})-{near(r, 0)}",
        ]
    )


def series(r: Random) -> str:
    a, z = coefficient, r.choice(["x*y", "x*y", "x*y", "x^2*y^2", "x*y/2", "0.5*x*y"])
    return r.choice(
        [
            f"({a(r)}+{a(r)}*{z})/(1-{z})^{r.choice(['1', '2', '0.5', '1.5'])}",
            f"1/(1-{z})-{near(r, 1)}/(1-0.5*{z})",
            f"exp({z})-1-{near(r, 1)}*{z}",
            f"exp({z})-1-{z}-{near(r, 0.5)}*({z})^2",
            f"-log(1-{z})-{near(r, 1)}*{z}",
            f"cosh({z})-{near(r, 1)}",
            f"sinh({z})-{near(r, 1)}*{z}",
            f"{near(r, 1)}-sqrt(1-{z})",
            f"{near(r, 1)}-(1-{z})^{near(r, 1)}",
            f"(1-{z})^(-{near(r, 0)})",
            f"(1+{z})^{near(r, r.choice([1, 2, 3]))}",
            f"1/({near(r, 1)}-{z})",
            f"{near(r, 1.1)}^({z})-{near(r, 1)}",
            f"1+{a(r)}*{z}+{a(r)}*({z})^2+{a(r)}*({z})^3",
            f"x*y+{near(r, 0.5)}*(x^2*y+x*y^2)+{a(r)}*x^2*y^2",
            f"(1-x^2)*(1-y^2)/(1-{z})^2-{near(r, 0)}",
            f"log((1-{a(r)}*{z})/(1-{z}))",
            f"exp({z})*({a(r)}+{a(r)}*{z})",
            f"tanh({z})+{a(r)}*({z})^3",
            f"exp({a(r)}*x^2+{a(r)}*y^2+{a(r)}*{z})",
        ]
    )


def half_line(r: Random) -> str:
    a = coefficient
    return r.choice(
        [
            f"1/(x^2+{near(r, r.choice([2, -2, 0]))}*x*y+y^2)",
            f"(x+y)^{{p}}-x^{{p}}-y^{{p}}".replace("{p}", near(r, r.choice([1, 2]))),
            f"x^{{p}}+y^{{p}}-(x+y)^{{p}}".replace("{p}", near(r, r.choice([1, 0.5, 2]))),
            f"1/(x+y+{a(r)})^{r.choice(['1', '2', '0.5'])}",
            f"1/(x+y+{a(r)}*x*y)",
            f"1/(1+x+y-{near(r, 0)})",
            f"-log({a(r)}+x+y)",
            f"-(x+y)^{near(r, 1)}",
            f"exp(-(x+y)^{near(r, 1)})",
            f"log({near(r, 1)}+x)+log({near(r, 1)}+y)-log(1+x+y)",
            f"2*sqrt(x*y)/(x+y)-{near(r, 0)}",
            f"(2*sqrt(x*y)/(x+y))^{near(r, 0.5)}",
            f"x*y/(x^2+{near(r, -1)}*x*y+y^2)",
            f"min(x,y)/max(x,y)-{near(r, 0)}",
            f"x*y/(x+y)-{a(r)}*min(x,y)",
            f"exp(-(x-y)^2/({a(r)}+x+y))",
            f"-(x-y)^2/(x+y)",
            f"(x+y)*log(x+y)-{near(r, 1)}*(x*log(x)+y*log(y))",
            f"1/(x^{{p}}*y^{{q}}+x^{{q}}*y^{{p}})".replace("{p}", r.choice(["0.3", "0.5", "1.2"])).replace(
                "{q}", r.choice(["0.7", "0.5", "2"])
            ),
            f"(x+y)/(x^2+y^2)^{r.choice(['1', '0.5', '2'])}",
            f"x^({a(r)}*log(y))",
            f"exp(-{a(r)}*abs(log(x)-log(y)))",
            f"sqrt(x^2+y^2)-{a(r)}*(x+y)",
        ]
    )


def divisors(r: Random) -> str:
    return r.choice(
        [
            f"gcd(x,y)^{near(r, 0)}", f"gcd(x,y)-{near(r, 1)}", f"gcd(x,y)^{near(r, 1)}/lcm(x,y)^{near(r, 1)}", f"lcm(x,y)^(-{near(r, 1)})", f"log(gcd(x,y))-{near(r, 0)}",
            f"gcd(x,y)-{near(r, 1)}*gcd(x,y)/lcm(x,y)", f"gcd(x+{r.choice('0123')},y+{r.choice('0123')})", f"{coefficient(r)}^gcd(x,y)", f"gcd(x^2,y^2)", f"gcd(2*x,y)+gcd(x,2*y)",
            f"cos(pi*gcd(x,y))", f"gcd(x,y)*min(x,y)-{near(r, 1)}", f"(-1)^(x+y)*gcd(x,y)", f"gcd(min(x,y),max(x,y))", f"gcd(x,y)^2-gcd(x,y)", f"gcd(x*y,6)", f"gcd(x,6)*gcd(y,6)", f"1/(1+lcm(x,y))", f"x*y-lcm(x,y)",
        ]
    )  # fmt: skip


def conditional(r: Random) -> str:
    """Negative definite functions, and what Schoenberg and Bernstein make of them."""
    t = distance(r)
    psi = r.choice(
        [
            f"abs{t}^{near(r, r.choice([1, 2]))}", f"log({near(r, 1)}+abs{t})", f"sqrt({near(r, 1)}+{t}^2)", f"abs{t}/({near(r, 1)}+abs{t})", f"sin({t})^2", f"(1-cos({t}))^{near(r, 0.5)}", f"(x+y)^{near(r, 1)}",
            "max(x,y)", "(x^2+y^2)", "(x-y)^2/(x+y)", f"log({near(r, 1)}+x+y)", f"abs{t}", "abs(log(x)-log(y))", "max(abs(x),abs(y))", "lcm(x,y)",
        ]
    )  # fmt: skip
    return r.choice(
        [
            f"-{psi}", f"{coefficient(r)}-{psi}", f"exp(-{coefficient(r)}*{psi})", f"1/({near(r, 1)}+{psi})", f"({near(r, 1)}+{psi})^(-{near(r, 0.5)})", f"-log({near(r, 1)}+{psi})", f"-({psi})^{near(r, 1)}",
            f"-sqrt({psi})", f"exp(-sqrt({psi}))", f"x*y-{psi}", f"exp(-{psi})-{near(r, 0)}", f"exp(x*y-{psi})", f"-{psi}-x^2-y^2", f"-tanh({psi})", f"exp(-{psi})/({near(r, 1)}+{psi})",
        ]
    )  # fmt: skip


FAMILIES: dict[str, list[Draw]] = {
    "R": [waves, damped, damped, compact, compact, conditional, series],
    "R+": [brownian, half_line, half_line, conditional, damped, series, compact],
    "unit": [series, series, brownian, conditional, damped, compact],
    "N": [divisors, divisors, brownian, half_line, waves, series],
    "[0,1]": [brownian, brownian, compact, series, conditional, damped],
}
