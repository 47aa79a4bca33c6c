using System.Text;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;
using Broker.Streams;

namespace Broker.Cli.Tests.Streams;

/// <summary>The directory of the streams of a broker that is stopped.</summary>
internal sealed class StoppedStore : IDisposable
{
    public const int Messages = 20;

    private readonly TemporaryFolder _folder = new();

    private StoppedStore()
    {
    }

    public string Folder => _folder.Path;

    public string Data => Path.Combine(_folder.Path, "data");

    /// <summary>The file with all messages.</summary>
    public string Log => Assert.Single(Directory.GetFiles(Path.Combine(Data, "global"), "*.log"));

    /// <summary>Makes a directory with the streams ORDERS and MAILS.</summary>
    public static async Task<StoppedStore> MakeAsync()
    {
        var store = new StoppedStore();
        await store.ServeAsync(async streams =>
        {
            await streams.CreateOrUpdateStreamAsync(new StreamConfig("ORDERS", "orders.>"), TestContext.Current.CancellationToken);
            await streams.CreateOrUpdateStreamAsync(new StreamConfig("MAILS", "mails.>"), TestContext.Current.CancellationToken);
            await streams.CreateOrUpdateConsumerAsync("ORDERS", new ConsumerConfig { Durable = "billing" }, TestContext.Current.CancellationToken);
            for (int i = 1; i <= Messages; i++)
            {
                await streams.PublishAsync("orders.new", Encoding.UTF8.GetBytes($"order {i}."), cancellationToken: TestContext.Current.CancellationToken);
                await streams.PublishAsync("mails.new", Encoding.UTF8.GetBytes($"mail {i}."), cancellationToken: TestContext.Current.CancellationToken);
            }
        });
        return store;
    }

    /// <summary>Starts a broker with the directory, and stops it.</summary>
    public async Task ServeAsync(Func<StreamsClient, Task> use)
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static options => options.Listen(0), ServerStreams.In(Data), TestContext.Current.CancellationToken);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(new ClientOptions { Dialer = server.CreateDialer(), ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);
        using StreamsClient streams = client.Streams();
        await use(streams);
    }

    /// <summary>The bodies of the messages of a stream.</summary>
    public async Task<string[]> BodiesAsync(string stream)
    {
        string[] bodies = [];
        await ServeAsync(async streams =>
        {
            var all = new List<string>();
            for (ulong next = 1; await streams.FindNextMessageAsync(stream, ">", next, cancellationToken: TestContext.Current.CancellationToken) is { } message; next = message.Sequence + 1)
            {
                all.Add($"{message.Sequence} {Encoding.UTF8.GetString(message.Body.Span)}");
            }

            bodies = [.. all];
        });
        return bodies;
    }

    /// <summary>Changes the first byte of a text in the file with all messages.</summary>
    public void Damage(string text)
    {
        byte[] bytes = File.ReadAllBytes(Log);
        int at = bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(text));
        Assert.True(at > 0);
        bytes[at] ^= 1;
        File.WriteAllBytes(Log, bytes);
    }

    public void Dispose() => _folder.Dispose();
}
