using System.Diagnostics;
using Broker.Benchmarks.NatsNet.Clients;
using Broker.Client;
using Broker.Client.Streams;
using NATS.Client.Core;

namespace Broker.Benchmarks.NatsNet;

/// <summary>This client beside NATS.Net, with one connection each to the same server.</summary>
internal static class NatsNetRates
{
    /// <param name="output">The writer of the table.</param>
    /// <param name="url">The server. The rows about streams need JetStream.</param>
    /// <param name="rounds">The number of rounds.</param>
    /// <param name="scale">The number of messages of a round in hundreds.</param>
    /// <param name="serverId">The process id of the server, to print its processor time too. Null if it is not on this
    /// machine.</param>
    /// <param name="onDisk">Whether only the rows about streams run, with a stream on the disk. Otherwise it is in
    /// memory.</param>
    internal static async Task RunAsync(TextWriter output, string url, int rounds, int scale, int? serverId = null, bool onDisk = false)
    {
        BrokerConnection ours = await BrokerConnection.ConnectAsync(url).ConfigureAwait(false);
        BrokerConnection common = await BrokerConnection.ConnectAsync(url).ConfigureAwait(false);
        var theirs = new NatsConnection(new NatsOpts { Url = url });
        try
        {
            await theirs.ConnectAsync().ConfigureAwait(false);
            using StreamsClient streams = ours.Streams();
            var plain = new PlainContests(new BrokerPlainClient(ours), new NatsNetPlainClient(theirs), common);
            List<Contest> contests = onDisk ? [] : [.. plain.All(scale)];
            if (ours.ServerInfo is { JetStream: true })
            {
                contests.AddRange(new StreamContests(streams, theirs, onDisk ? StorageType.File : StorageType.Memory).All(scale));
            }
            else
            {
                await output.WriteLineAsync("Omitted: the server has no streams.").ConfigureAwait(false);
            }

            using Process? server = serverId is { } id ? Process.GetProcessById(id) : null;
            await new ContestTable(output, rounds, server).RunAsync(contests).ConfigureAwait(false);
        }
        finally
        {
            await theirs.DisposeAsync().ConfigureAwait(false);
            await common.DisposeAsync().ConfigureAwait(false);
            await ours.DisposeAsync().ConfigureAwait(false);
        }
    }
}
