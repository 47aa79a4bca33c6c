namespace Broker.Interop.Tests.Harness;

/// <summary>The real nats-server on a free port.</summary>
internal sealed class NatsServer : IAsyncDisposable
{
    private readonly PeerProcess _process;
    private readonly DirectoryInfo _directory;

    private NatsServer(PeerProcess process, DirectoryInfo directory, string url)
    {
        _process = process;
        _directory = directory;
        Url = url;
    }

    public string Url { get; }

    public static async Task<NatsServer> StartAsync()
    {
        var program = Programs.Find("nats-server");
        Missing.Unless(program is not null, "nats-server");
        var directory = Directory.CreateTempSubdirectory("nats-server-");
        var process = PeerProcess.Start("nats-server", program!, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", directory.FullName);
        try
        {
            return new NatsServer(process, directory, (await PortsFile.WaitAsync(directory.FullName, process)).Nats[0]);
        }
        catch
        {
            await process.DisposeAsync();
            directory.Delete(recursive: true);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _process.DisposeAsync();
        _directory.Delete(recursive: true);
    }
}
