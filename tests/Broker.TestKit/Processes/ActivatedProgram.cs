using System.Globalization;

namespace Broker.TestKit.Processes;

/// <summary>
/// A program that is started as systemd starts a service with a socket unit: another process has opened the sockets and
/// passes them as descriptors from 3 on. The program may be started several times. Disposing kills it.
/// </summary>
public sealed class ActivatedProgram : IAsyncDisposable
{
    // A small service manager. A forked child becomes the program, so its process id is known before the program runs.
    private const string Manager = """
        import fcntl, os, socket, sys
        cut = sys.argv.index("--")
        program = sys.argv[cut + 1:]
        opened = []
        for asked in sys.argv[1:cut]:
            kind, where = asked.split("=")
            if kind == "unix":
                it = socket.socket(socket.AF_UNIX)
                it.bind(where)
            else:
                it = socket.socket(type=socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
                it.bind((where, 0))
                where = "%s:%d" % it.getsockname()
            if kind != "udp":
                it.listen(64)
            opened.append(fcntl.fcntl(it.fileno(), fcntl.F_DUPFD, 100))
            print("SOCKET", where, flush=True)
        while sys.stdin.readline():
            child = os.fork()
            if child == 0:
                for i, descriptor in enumerate(opened):
                    os.dup2(descriptor, 3 + i)
                    os.close(descriptor)
                os.environ["LISTEN_PID"] = str(os.getpid())
                os.environ["LISTEN_FDS"] = str(len(opened))
                os.environ["LISTEN_FDNAMES"] = ":".join("port%d" % i for i in range(len(opened)))
                os.execvp(program[0], program)
            print("PROCESS", child, flush=True)
            print("ENDED", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        """;

    private readonly PeerProcess _manager;
    private string _id = "";

    private ActivatedProgram(PeerProcess manager) => _manager = manager;

    /// <summary>The addresses of the sockets.</summary>
    public IReadOnlyList<string> Addresses { get; private set; } = [];

    /// <summary>What the program has written to standard error so far.</summary>
    public string Errors => _manager.Errors;

    /// <summary>Opens the sockets and does not start the program yet.</summary>
    /// <param name="sockets">
    /// Each <c>tcp=ADDRESS</c>, for a free port of it, <c>udp=ADDRESS</c> or <c>unix=PATH</c>; they are named
    /// <c>port0</c>, <c>port1</c>.
    /// </param>
    /// <param name="command">The program and its arguments.</param>
    public static async Task<ActivatedProgram> OpenAsync(IReadOnlyCollection<string> sockets, params IEnumerable<string> command)
    {
        // Python is part of Debian, so the test needs no further package.
        var activated = new ActivatedProgram(PeerProcess.Start("manager", Programs.Require("python3"), ["-c", Manager, .. sockets, "--", .. command]));
        var addresses = new List<string>();
        foreach (string _ in sockets)
        {
            addresses.Add((await activated._manager.ReadLineWithAsync("SOCKET "))["SOCKET ".Length..]);
        }

        activated.Addresses = addresses;
        return activated;
    }

    /// <summary>Starts the program. The test checks at the sockets whether it serves.</summary>
    public async Task StartAsync()
    {
        await _manager.WriteLineAsync("start");
        _id = (await _manager.ReadLineWithAsync("PROCESS "))["PROCESS ".Length..];
    }

    /// <summary>Skips lines of the program's output up to a line that contains the text.</summary>
    public Task<string> ReadLineWithAsync(string text) => _manager.ReadLineWithAsync(text);

    /// <summary>Sends a signal to the program by the signal's name.</summary>
    public async Task SignalAsync(string signal) => await Programs.RunAsync("kill", null, "-" + signal, _id);

    /// <summary>Waits for the end of the program and returns the exit code.</summary>
    public async Task<int> WaitForExitAsync() => int.Parse((await _manager.ReadLineWithAsync("ENDED "))["ENDED ".Length..], CultureInfo.InvariantCulture);

    public ValueTask DisposeAsync() => _manager.DisposeAsync();
}
