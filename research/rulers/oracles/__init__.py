"""Where calls lead, by those who know: what compilers and runs say, as lines that `research.rulers.compared` reads."""
