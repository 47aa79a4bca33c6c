using System.CommandLine;
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

    [Theory]
    [InlineData("compare")]
    [InlineData("compare --rounds 3")]
    public void All_rows_are_measured_unless_rows_are_named(string line)
    {
        ParseResult parsed = Arguments.Create().Parse(line);

        Assert.Equal(Catalogue.All, Catalogue.Select(parsed.GetValue<string[]>("--rows") ?? []));
    }

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

    [Theory]
    [InlineData(Kind.NetMqBytes)]
    [InlineData(Kind.NetMqMsg)]
    [InlineData(Kind.CompatibleBytes)]
    [InlineData(Kind.CompatibleMsg)]
    internal void Ends_with_NetMQ_measure_each_pattern(Kind kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the ends are given processors by taskset");
        using var ends = new EndFactory();

        Result pushed = Measurements.Push(ends, kind, kind, new Shape(1000, 100, 64));
        Result large = Measurements.Push(ends, kind, kind, new Shape(20, 5, 65_536));
        Result asked = Measurements.Request(ends, kind, new Shape(100, 10, 64));
        Result published = Measurements.Publish(ends, kind, subscribers: 3, milliseconds: 100, size: 64);

        Assert.All([pushed.Rate, large.Rate, pushed.FirstCpu, pushed.SecondCpu, asked.Rate, asked.P50, asked.P99, asked.P999, published.Rate], AssertIsMeasured);
        Assert.InRange(published.Loss, 0, 1);
        Assert.InRange(large.Allocated, kind is Kind.NetMqBytes or Kind.CompatibleBytes ? 65_536 : 0, double.MaxValue);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_program_of_NetMQ_pushes_through_a_bridge_and_attached(bool isAttached)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the ends are given processors by taskset");
        using var ends = new EndFactory();

        AssertIsMeasured(Measurements.Attached(ends, isAttached, new Shape(1000, 100, 64)).Rate);
    }

    [Fact]
    public void A_puller_may_receive_arrays()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the ends are given processors by taskset");
        using var ends = new EndFactory();

        AssertIsMeasured(Measurements.Push(ends, Kind.Threads, Kind.Arrays, new Shape(1000, 100, 64)).Rate);
    }

    [Fact]
    public void NetMQ_and_its_API_on_ours_are_compared_in_each_row_of_sockets_in_both_forms() => Assert.All(
        Catalogue.Select(["push", "request", "publish"]),
        row =>
        {
            Assert.Equal(2, row.Variants.Count(variant => variant.Name.StartsWith("NetMQ, ", StringComparison.Ordinal)));
            Assert.Equal(2, row.Variants.Count(variant => variant.Name.StartsWith("NetMQ's API on ours, ", StringComparison.Ordinal)));
        });

    private static void AssertIsMeasured(double value) => Assert.InRange(value, double.Epsilon, double.MaxValue);
}
