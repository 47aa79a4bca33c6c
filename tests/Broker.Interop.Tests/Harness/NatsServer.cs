using System.Globalization;

namespace Broker.Interop.Tests.Harness;

/// <summary>The real nats-server on a free port.</summary>
internal sealed class NatsServer : INatsServer
{
    private readonly DirectoryInfo _directory;

    private NatsServer(PeerProcess process, DirectoryInfo directory, string url)
    {
        Process = process;
        _directory = directory;
        Url = url;
    }

    public PeerProcess Process { get; }

    public string Url { get; }

    public static Task<NatsServer> StartAsync() => StartAsync(-1);

    /// <summary>Starts the server and waits until it accepts connections. Give a port to start it again where it was.</summary>
    public static async Task<NatsServer> StartAsync(int port, params IEnumerable<string> arguments)
    {
        var program = Programs.Find("nats-server");
        Missing.Unless(program is not null, "nats-server");
        var directory = Directory.CreateTempSubdirectory("nats-server-");
        var process = PeerProcess.Start(
            "nats-server", program!,
            ["-a", "127.0.0.1", "-p", port.ToString(CultureInfo.InvariantCulture), "--ports_file_dir", directory.FullName, .. arguments]);
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
        await Process.DisposeAsync();
        _directory.Delete(recursive: true);
    }
}
