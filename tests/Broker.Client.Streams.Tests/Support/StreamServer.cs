namespace Broker.Client.Streams.Tests.Support;

/// <summary>A server with streams. The suite knows a server by its name only.</summary>
internal sealed class StreamServer : IAsyncDisposable
{
    /// <summary>The installed nats-server, 2.9 on Debian 12.</summary>
    internal const string Installed = "installed";

    /// <summary>The server of this project.</summary>
    internal const string Ours = "ours";

    private readonly NatsServer? _server;
    private readonly OurServer? _ours;
    private readonly DirectoryInfo _store;

    private StreamServer(NatsServer? server, OurServer? ours, DirectoryInfo store)
    {
        _server = server;
        _ours = ours;
        _store = store;
    }

    /// <summary>All servers of others.</summary>
    internal static string[] Names => [Installed, NewerNatsServers.Trixie, NewerNatsServers.Sid];

    internal string Url => _server?.Url ?? _ours!.Url;

    /// <summary>Starts a server. If it is not installed, the test is skipped, and fails in CI.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="more">More text for the configuration file.</param>
    /// <param name="ofStreams">More options of JetStream.</param>
    internal static StreamServer Start(string name, string more = "", string ofStreams = "")
    {
        if (name == Ours)
        {
            DirectoryInfo directory = Directory.CreateTempSubdirectory("streams-");
            return new StreamServer(null, OurServer.Start(directory.FullName), directory);
        }

        string? program = name == Installed ? null : NewerNatsServers.Require(name);
        DirectoryInfo store = Directory.CreateTempSubdirectory("streams-");
        try
        {
            string configuration = $$"""
                jetstream { store_dir: "{{store.FullName.Replace('\\', '/')}}", max_mem: 256MB, max_file: 1GB{{(ofStreams.Length == 0 ? "" : ", " + ofStreams)}} }
                {{more}}
                """;
            return new StreamServer(NatsServer.StartWithConfiguration(configuration, program, []), null, store);
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

    /// <summary>Ends the server without a warning to its clients.</summary>
    internal void Kill()
    {
        _server?.Kill();
        _ours?.Kill();
    }

    /// <summary>Ends the server if it runs, and starts it again on the same port with the same store.</summary>
    internal void Restart()
    {
        _server?.Restart();
        _ours?.Restart();
    }

    public async ValueTask DisposeAsync()
    {
        _server?.Dispose();
        if (_ours is not null)
        {
            await _ours.DisposeAsync();
        }

        _store.Delete(recursive: true);
    }
}
