namespace Broker.Interop.Tests.Harness;

/// <summary>Programs over python3-zmq, Debian's binding of libzmq.</summary>
internal sealed class PythonPeers : IZeroMqPeers
{
    // Debian's packages are for this interpreter; one found on the PATH may be another without them.
    private const string Interpreter = "/usr/bin/python3";

    private static readonly Lazy<Task<bool>> LazyFound = new(FindAsync);

    public string Name => "python3-zmq";

    public async Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments)
    {
        Missing.Unless(await LazyFound.Value, Name);
        return PeerProcess.Start($"{Name} {program}", Interpreter, arguments.Prepend(Path.Combine(PeerSources.Folder, "python", program + ".py")));
    }

    /// <summary>Runs what <c>python3 -c</c> would.</summary>
    public static async Task<PeerProcess> StartCodeAsync(string code)
    {
        Missing.Unless(await LazyFound.Value, "python3-zmq");
        return PeerProcess.Start("python3 -c", Interpreter, "-c", code);
    }

    private static async Task<bool> FindAsync() =>
        File.Exists(Interpreter) && (await Programs.RunAsync(Interpreter, "", "-c", "import zmq")).ExitCode == 0;
}
