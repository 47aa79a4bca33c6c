using System.CommandLine.Parsing;
using Broker.ZeroMqLoad.Comparing;
using Arguments = Broker.ZeroMqLoad.CommandLine;

namespace Broker.Benchmarks.Tests.ZeroMqLoad;

public sealed class ComparisonTests
{
    [Fact]
    public void An_unknown_row_is_an_error_that_lists_the_known_rows()
    {
        ParseError error = Assert.Single(Arguments.Create().Parse("compare --rows push,TYPO").Errors);

        Assert.Contains("'TYPO'", error.Message, StringComparison.Ordinal);
        Assert.All(Catalogue.All, row => Assert.Contains(row.Name, error.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void An_unknown_row_ends_with_an_exit_code()
        => Assert.NotEqual(0, Arguments.Create().Parse("compare --rows TYPO").Invoke());

    [Theory]
    [InlineData("compare")]
    [InlineData("compare --rounds 3 --rows push,forward")]
    [InlineData("compare --rows 'push 64,memory'")]
    public void Known_rows_are_accepted(string line) => Assert.Empty(Arguments.Create().Parse(line.Replace('\'', '"')).Errors);

    [Fact]
    public void No_two_rows_have_the_same_name() => Assert.Equal(Catalogue.All.Count, Catalogue.All.Select(row => row.Name).Distinct().Count());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Our_ends_measure_each_pattern(bool onLoops)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the ends are given processors by taskset");
        using var ends = new EndFactory();
        Kind kind = onLoops ? Kind.Loops : Kind.Threads;

        Result pushed = Measurements.Push(ends, kind, kind, new Shape(1000, 100, 64));
        Result asked = Measurements.Request(ends, Kind.Threads, new Shape(100, 10, 64));
        Result kept = Measurements.Memory(ends, kind, 50);

        Assert.All([pushed.Rate, pushed.FirstCpu, pushed.SecondCpu, asked.Rate, asked.P50, asked.P999], value => Assert.InRange(value, 0, double.MaxValue));
        Assert.False(double.IsNaN(kept.PerConnection));
    }
}
