using System.Globalization;
using Broker.Benchmarks.Publishing;

namespace Broker.Benchmarks.Tests;

public sealed class WireLatencyTests
{
    [Fact]
    public void The_table_has_a_row_for_one_message_and_one_for_the_end_of_a_burst()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        WireLatency.Run(output, rounds: 3);
        string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(4, lines.Length);
        Assert.StartsWith("| one, from idle |", lines[2], StringComparison.Ordinal);
        Assert.StartsWith("| the last of a burst |", lines[3], StringComparison.Ordinal);
    }
}
