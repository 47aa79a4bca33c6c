namespace Broker.Client.Streams.Tests.Support;

/// <summary>
/// A server with streams. The suite knows a server by its name only, so that a server of this project can be added here
/// when it has streams.
/// </summary>
internal sealed class StreamServer : IAsyncDisposable
{
    /// <summary>The installed nats-server, 2.9 on Debian 12.</summary>
    internal const string Installed = "installed";

    private readonly NatsServer _server;
    private readonly DirectoryInfo _store;

    private StreamServer(NatsServer server, DirectoryInfo store)
    {
        _server = server;
        _store = store;
    }

    /// <summary>All servers.</summary>
    internal static string[] Names => [Installed, NewerNatsServers.Trixie, NewerNatsServers.Sid];

    internal string Url => _server.Url;

    internal NatsServer Process => _server;

    /// <summary>Starts a server. If it is not installed, the test is skipped, and fails in CI.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="more">More text for the configuration file.</param>
    /// <param name="ofStreams">More options of JetStream.</param>
    internal static StreamServer Start(string name, string more = "", string ofStreams = "")
    {
        string? program = name == Installed ? null : NewerNatsServers.Require(name);
        DirectoryInfo store = Directory.CreateTempSubdirectory("streams-");
        try
        {
            string configuration = $$"""
                jetstream { store_dir: "{{store.FullName.Replace('\\', '/')}}", max_mem: 256MB, max_file: 1GB{{(ofStreams.Length == 0 ? "" : ", " + ofStreams)}} }
                {{more}}
                """;
            return new StreamServer(NatsServer.StartWithConfiguration(configuration, program, []), store);
        }
        catch
        {
            store.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Connects with short pauses before a reconnect.</summary>
    internal Task<BrokerConnection> ConnectAsync(Func<ClientOptions, ClientOptions>? configure = null)
    {
        var options = new ClientOptions
        {
            Servers = [Url],
            ReconnectWait = TimeSpan.FromMilliseconds(20),
            MaxReconnectWait = TimeSpan.FromMilliseconds(100),
            ReconnectJitter = TimeSpan.FromMilliseconds(5),
            ConnectTimeout = Wait.Limit,
        };
        return BrokerConnection.ConnectAsync(configure is null ? options : configure(options), TestContext.Current.CancellationToken);
    }

    public ValueTask DisposeAsync()
    {
        _server.Dispose();
        _store.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }
}
