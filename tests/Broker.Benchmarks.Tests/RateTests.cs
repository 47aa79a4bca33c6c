using System.Globalization;
using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Publishing;
using Broker.Benchmarks.Receiving;
using Broker.Benchmarks.Requests;

namespace Broker.Benchmarks.Tests;

/// <summary>Tests the tables of several clients: every client answers, all agree, and each has its row.</summary>
public sealed class RateTests
{
    // Two of the clients are libnats, with two ways of sending.
    private static int WithLibnats(int clients, int ofThem = 1) => Libnats.Missing is null ? clients + ofThem : clients;

    private static string[] Rows(StringWriter output)
        => [.. output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries).Where(l => !l.StartsWith("|-", StringComparison.Ordinal))];

    [Fact]
    public async Task Each_client_gets_its_replies()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        await RequestRates.RunAsync(output, rounds: 1, each: 8, address: null);
        string[] rows = Rows(output);
        Assert.Equal(1 + WithLibnats(4, 2), rows.Length);
        Assert.All(rows, row => Assert.Equal(9, row.Count(c => c == '|')));
    }

    [Fact]
    public void All_receivers_have_the_same_sum()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        ReceiveRates.Run(output, rounds: 1, messages: 5_000);
        Assert.Equal(2 * (1 + WithLibnats(5)), Rows(output).Length);
    }

    [Fact]
    public void All_publishers_send_the_same_bytes()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        PublishRates.Run(output, rounds: 1, messages: 5_000);
        Assert.Equal(1 + WithLibnats(4), Rows(output).Length);
    }
}
