namespace Broker.Interop.Tests.Harness;

/// <summary>Peers that use python3-zmq, Debian's binding of libzmq.</summary>
internal sealed class PythonPeers : IZeroMqPeers
{
    // Debian's packages are for this interpreter. The PATH may contain another one without these packages.
    private const string Interpreter = "/usr/bin/python3";

    private static readonly Lazy<Task<bool>> LazyFound = new(FindAsync);

    public string Name => "python3-zmq";

    public async Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments)
    {
        Missing.Unless(await LazyFound.Value, Name);
        return PeerProcess.Start($"{Name} {program}", Interpreter, arguments.Prepend(Path.Combine(PeerSources.Folder, "python", program + ".py")));
    }

    /// <summary>Runs a script like <c>python3 -c</c>.</summary>
    public static async Task<PeerProcess> StartCodeAsync(string code)
    {
        Missing.Unless(await LazyFound.Value, "python3-zmq");
        return PeerProcess.Start("python3 -c", Interpreter, "-c", code);
    }

    private static async Task<bool> FindAsync()
        => File.Exists(Interpreter) && (await Programs.RunAsync(Interpreter, "", "-c", "import zmq")).ExitCode == 0;
}
