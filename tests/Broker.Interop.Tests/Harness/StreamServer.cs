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

    internal static async Task<StreamServer> StartAsync(string name)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("streams-");
        string[] flags = ["-js", "-sd", folder.FullName, "-m", "-1"];
        try
        {
            INatsServer server = name == Ours
                ? await BrokerProcess.StartAsync(-1, flags)
                : NatsServer.StartWithConfiguration("", NewerNatsServers.Require(NewerNatsServers.Sid), flags);
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
