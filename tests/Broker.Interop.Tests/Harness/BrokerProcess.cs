using System.Globalization;

namespace Broker.Interop.Tests.Harness;

/// <summary>Runs the broker as a process, as a user starts it. It uses free ports by default.</summary>
internal sealed class BrokerProcess : INatsServer
{
    private readonly DirectoryInfo _directory;
    private readonly PortsFile _ports;

    private BrokerProcess(PeerProcess process, DirectoryInfo directory, PortsFile ports)
    {
        Process = process;
        _directory = directory;
        _ports = ports;
    }

    public PeerProcess Process { get; }

    /// <summary>The port for NATS clients.</summary>
    public PortsFile Ports => _ports;

    /// <summary>The URL for NATS clients.</summary>
    public string Url => _ports.Nats[0];

    /// <summary>The endpoint for ZeroMQ publishers.</summary>
    public string Publishers => _ports.Publishers[0];

    /// <summary>The endpoint for ZeroMQ subscribers.</summary>
    public string Subscribers => _ports.Subscribers[0];

    public int Port => new Uri(Url).Port;

    /// <summary>Starts the broker with the bridge. Its endpoints are bound to free ports by default.</summary>
    public static Task<BrokerProcess> StartWithZeroMqAsync(
        string publishers = "bind tcp://127.0.0.1:*", string subscribers = "bind tcp://127.0.0.1:*", int port = -1)
        => StartAsync(port, "--zeromq-publishers", publishers, "--zeromq-subscribers", subscribers);

    /// <summary>
    /// Starts the broker and waits until it accepts connections. With a port, it can be started again at the same
    /// address.
    /// </summary>
    public static Task<BrokerProcess> StartAsync(int port, params IEnumerable<string> arguments) => StartAsync(port, variable: null, arguments);

    /// <summary>Starts the broker with a limit for the heap, in bytes.</summary>
    public static Task<BrokerProcess> StartWithHeapLimitAsync(long limit, params IEnumerable<string> arguments)
        => StartAsync(-1, ("DOTNET_GCHeapHardLimit", limit.ToString("x", CultureInfo.InvariantCulture)), arguments);

    private static async Task<BrokerProcess> StartAsync(int port, (string Name, string Value)? variable, IEnumerable<string> arguments)
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("broker-");
        PeerProcess process = Run(variable, ["-p", port.ToString(CultureInfo.InvariantCulture), "-q", "--ports_file_dir", directory.FullName, .. arguments]);
        try
        {
            return new BrokerProcess(process, directory, await PortsFile.WaitAsync(directory.FullName, process));
        }
        catch
        {
            await process.DisposeAsync();
            directory.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Starts <c>broker serve</c> with the arguments, without waiting.</summary>
    public static PeerProcess Run(params IEnumerable<string> arguments) => Run(variable: null, arguments);

    /// <summary>Starts another command of the broker with the arguments, without waiting.</summary>
    public static PeerProcess RunCommand(params IEnumerable<string> arguments) => Execute(variable: null, arguments);

    private static PeerProcess Run((string Name, string Value)? variable, IEnumerable<string> arguments) => Execute(variable, ["serve", .. arguments]);

    private static PeerProcess Execute((string Name, string Value)? variable, IEnumerable<string> arguments)
        => PeerProcess.Start("broker", BrokerProgram.Command[0], variable, [.. BrokerProgram.Command[1..], .. arguments]);

    /// <summary>Opens a TCP connection to the NATS port, for bytes that a correct client does not send.</summary>
    public async Task<RawConnection> ConnectRawAsync() => await RawConnection.OpenAsync(Port);

    /// <summary>Opens a TCP connection to a ZeroMQ port.</summary>
    public static async Task<RawConnection> ConnectRawAsync(string zeroMqAddress)
        => await RawConnection.OpenAsync(new Uri(zeroMqAddress).Port);

    /// <summary>Stops the broker as a service manager does, and returns its exit code.</summary>
    public async Task<int> StopAsync(string signal = "TERM")
    {
        await Process.SignalAsync(signal);
        return await Process.WaitForExitAsync();
    }

    /// <summary>The resident memory of the process, in bytes.</summary>
    public long ResidentMemory()
    {
        using var process = System.Diagnostics.Process.GetProcessById(Process.Id);
        return process.WorkingSet64;
    }

    public async ValueTask DisposeAsync()
    {
        await Process.DisposeAsync();
        _directory.Delete(recursive: true);
    }
}
