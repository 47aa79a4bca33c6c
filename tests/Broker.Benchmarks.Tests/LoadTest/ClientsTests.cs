using Broker.LoadTest.Clients;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class ClientsTests
{
    [Fact]
    public void Each_row_measures_both_clients_at_the_same_server()
    {
        ServerCommand server = KnownServers.With([], []).Single(static command => command.Name == KnownServers.Ours);
        using var resources = new DriverResources();
        using var progress = new StringWriter();
        var run = new ClientsRun([.. ClientRow.All.Select(static row => row.Quick())], rounds: 1, [server], resources);

        IReadOnlyList<ClientOutcome> outcomes = run.Run(progress, TestContext.Current.CancellationToken);

        Assert.Equal(ClientRow.All.Count * 2, outcomes.Count);
        Assert.All(outcomes, static outcome =>
        {
            ClientCost cost = Assert.Single(outcome.Rounds);
            Assert.True(cost is { Rate: > 0, Cpu: > 0, ServerCpu: > 0 }, $"{outcome}: {cost}");
        });
        string[] lines = ClientsReport.ToText(1, outcomes).Split('\n');
        Assert.All(ClientRow.All, row => Assert.Contains(lines, line => line.StartsWith($"{row.Name}, broker ", StringComparison.Ordinal)));
    }

    [Fact]
    public void An_unknown_row_is_an_error_that_names_the_rows()
    {
        ArgumentException e = Assert.Throws<ArgumentException>(() => ClientRow.Select(["publish", "sing"]));

        Assert.Equal("There is no row 'sing': the rows are publish, receive, receive-await, request, request-64.", e.Message);
    }
}
