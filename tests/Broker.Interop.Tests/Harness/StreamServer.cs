namespace Broker.Interop.Tests.Harness;

/// <summary>The broker or nats-server 2.15.1, with streams in a folder of its own.</summary>
internal sealed class StreamServer : IAsyncDisposable
{
    internal const string Ours = "broker";
    internal const string Theirs = "nats-server";

    private readonly DirectoryInfo _folder;
    private readonly INatsServer _server;

    private StreamServer(DirectoryInfo folder, INatsServer server)
    {
        _folder = folder;
        _server = server;
        Pages = server is NatsServer natsServer ? natsServer.Http : new HttpClient { BaseAddress = new Uri(((BrokerProcess)server).Ports.Monitoring[0]) };
    }

    /// <summary>The monitoring pages.</summary>
    internal HttpClient Pages { get; }

    internal string Url => _server.Url;

    /// <summary>Starts a server.</summary>
    /// <param name="name"><see cref="Ours"/> or <see cref="Theirs"/>.</param>
    /// <param name="configuration">The content of the configuration file.</param>
    internal static async Task<StreamServer> StartAsync(string name, string configuration = "")
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("streams-");
        string file = Path.Combine(folder.FullName, "server.conf");
        string[] flags = ["-js", "-sd", Path.Combine(folder.FullName, "store"), "-m", "-1"];
        try
        {
            await File.WriteAllTextAsync(file, configuration, TestContext.Current.CancellationToken);
            INatsServer server = name == Ours
                ? await BrokerProcess.StartAsync(-1, ["-c", file, .. flags])
                : NatsServer.StartWithConfiguration(configuration, NewerNatsServers.Require(NewerNatsServers.Sid), flags);
            return new StreamServer(folder, server);
        }
        catch
        {
            folder.Delete(recursive: true);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        Pages.Dispose();
        await _server.DisposeAsync();
        _folder.Delete(recursive: true);
    }
}
