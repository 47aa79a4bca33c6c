using System.Globalization;
using Broker.Benchmarks.Interop;

namespace Broker.Benchmarks.Tests;

public sealed class IdleReceiveTests
{
    [Fact]
    public void The_table_has_a_row_for_each_way_of_waiting_and_each_timeout()
    {
        Assert.SkipWhen(Libzmq.Missing is not null, Libzmq.Missing ?? "");
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        IdleReceive.Run(output, TimeSpan.FromMilliseconds(4));
        string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(2 + (4 * 4) + 3, lines.Length);
        Assert.Equal(5, lines.Count(line => line.StartsWith("| our socket |", StringComparison.Ordinal)));
    }
}
