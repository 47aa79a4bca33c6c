using Broker.Interop.Tests.Harness;
using Broker.Leaf.Tests.Steps;
using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Broker.Interop.Tests.Streams;

/// <summary>
/// The official clients use streams, buckets and object stores of the broker and of nats-server 2.15.1. The result of
/// each step is the same.
/// </summary>
public sealed class ClientStepTests
{
    [Fact]
    public async Task NATS_Net_gets_the_results_of_nats_server_step_by_step()
    {
        List<string> ours = await RunAsync(StreamServer.Ours, RunNatsNetAsync);
        List<string> theirs = await RunAsync(StreamServer.Theirs, RunNatsNetAsync);

        Assert.Equal(38, ours.Count);
        Assert.Equal(theirs, ours);
    }

    [Fact]
    public async Task The_client_of_npm_gets_the_results_of_nats_server_step_by_step()
    {
        List<string> ours = await RunAsync(StreamServer.Ours, RunNodeAsync);
        List<string> theirs = await RunAsync(StreamServer.Theirs, RunNodeAsync);

        Assert.Equal(50, ours.Count);
        Assert.Equal(theirs, ours);
    }

    [Fact]
    public async Task The_client_in_C_gets_the_results_of_nats_server_step_by_step()
    {
        List<string> ours = await RunAsync(StreamServer.Ours, RunLibnatsAsync);
        List<string> theirs = await RunAsync(StreamServer.Theirs, RunLibnatsAsync);

        Assert.Equal(70, ours.Count);
        Assert.Equal(theirs, ours);
    }

    private static async Task<List<string>> RunAsync(string server, Func<string, Task<IReadOnlyList<string>>> run)
    {
        await using StreamServer streams = await StreamServer.StartAsync(server);
        return [.. (await run(streams.Url)).Select(StepForm.Of)];
    }

    private static async Task<IReadOnlyList<string>> RunNatsNetAsync(string url)
    {
        await using var nats = new NatsConnection(new NatsOpts { Url = url, RequestTimeout = Wait.Limit, CommandTimeout = Wait.Limit });
        var steps = new NatsNetSteps();
        await steps.RunAllAsync(new NatsJSContext(nats), nats);
        return steps.Results;
    }

    private static async Task<IReadOnlyList<string>> RunNodeAsync(string url)
    {
        string node = Programs.Require("node");
        string folder = Path.Combine(Repository.Root, "tests", "Broker.Leaf.Tests", "peers", "node");
        Missing.Unless(Directory.Exists(Path.Combine(folder, "node_modules", "@nats-io", "jetstream")), "the npm package @nats-io/jetstream");
        await using var program = PeerProcess.Start("streams.mjs", node, Path.Combine(folder, "streams.mjs"), url, "");
        return await StepsOfAsync(program);
    }

    private static async Task<IReadOnlyList<string>> RunLibnatsAsync(string url)
    {
        await using PeerProcess program = await Harness.Peers.Libnats.StartAsync("nats_streams", url);
        return await StepsOfAsync(program);
    }

    private static async Task<IReadOnlyList<string>> StepsOfAsync(PeerProcess program)
    {
        var lines = new List<string>();
        string line = await program.ReadLineAsync();
        for (; line.StartsWith("STEP ", StringComparison.Ordinal); line = await program.ReadLineAsync())
        {
            lines.Add(line);
        }

        Assert.Equal($"DONE {lines.Count}", line);
        return lines;
    }
}
