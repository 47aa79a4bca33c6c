using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Broker.ZeroMq.Tests.Foreign;

/// <summary>
/// A process of another ZeroMQ implementation with any number of sockets. It does one thing at a time. A test rents one
/// and returns it, with its sockets closed, for the next test.
/// </summary>
internal sealed class ForeignHost : IAsyncDisposable
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(150);
    private static readonly ConcurrentDictionary<(ForeignKind Kind, bool AnswersZap), ConcurrentBag<Process>> Idle = new();
    private static readonly ConcurrentDictionary<ForeignKind, string?> Lacking = new();

    private readonly ForeignKind _kind;
    private readonly Process? _process;
    private readonly OwnHost? _own;
    private readonly List<string> _sockets = [];
    private bool _broken;
    private bool _givenUp;
    private bool _answersZap;
    private int _last;

    private ForeignHost(ForeignKind kind, Process? process)
    {
        _kind = kind;
        _process = process;
        _own = process is null ? new OwnHost() : null;
    }

    /// <summary>Skips the test if no such process is available.</summary>
    public static void Require(ForeignKind kind = ForeignKind.Python)
    {
        string? lacking = Lacking.GetOrAdd(kind, FindMissing);
        Missing.Unless(lacking is null, lacking ?? "");
    }

    public static ForeignHost Take(ForeignKind kind = ForeignKind.Python)
    {
        Require(kind);
        if (kind == ForeignKind.Ours)
        {
            return new ForeignHost(kind, process: null);
        }
        return new ForeignHost(kind, TakeProcess(kind, answersZap: false));
    }

    /// <summary>Binds as a PLAIN server that knows only these users.</summary>
    public static async Task<ForeignHost> TakeAsync(ForeignKind kind, params (string User, string Password)[] users)
    {
        Require(kind);
        var host = new ForeignHost(kind, kind == ForeignKind.Ours ? null : TakeProcess(kind, answersZap: true));
        await host.AuthenticateAsync(users);
        return host;
    }

    public async Task<JsonNode> CallAsync(string operation, JsonObject arguments)
    {
        arguments["op"] = operation;
        if (_own is not null)
        {
            return await Wait.For(Task.Run(() => _own.Call(JsonNode.Parse(arguments.ToJsonString())!.AsObject()), TestContext.Current.CancellationToken));
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(WaitLimit);
        _broken = true;
        await _process!.StandardInput.WriteLineAsync(arguments.ToJsonString());
        await _process.StandardInput.FlushAsync(limit.Token);
        string? line = await _process.StandardOutput.ReadLineAsync(limit.Token);
        _broken = line is null;
        JsonNode result = JsonNode.Parse(line ?? throw new InvalidOperationException($"The {_kind} peer has ended."))!;
        return result["error"] is { } error ? throw new InvalidOperationException($"{operation}: {error}") : result;
    }

    public async Task<ForeignSocket> SocketAsync(string type, params (string Name, JsonNode Value)[] options)
    {
        string name = $"s{++_last}";
        var set = new JsonObject(options.Select(o => KeyValuePair.Create<string, JsonNode?>(o.Name, o.Value)));
        await CallAsync("socket", new JsonObject { ["name"] = name, ["type"] = type, ["options"] = set });
        _sockets.Add(name);
        return new ForeignSocket(this, name);
    }

    /// <summary>
    /// Makes the process answer the authentication requests of its sockets from now on. Peers that are not listed are
    /// refused.
    /// </summary>
    /// <returns>The number of requests so far.</returns>
    public async Task<int> AuthenticateAsync(params (string User, string Password)[] users)
    {
        var known = new JsonObject(users.Select(u => KeyValuePair.Create<string, JsonNode?>(u.User, u.Password)));
        JsonNode result = await CallAsync("zap", new JsonObject { ["users"] = known });
        _answersZap = true;
        return (int)result["asked"]!;
    }

    /// <summary>Kills the process at once, as a power failure would. It is not used again.</summary>
    public void Kill()
    {
        _broken = true;
        _process!.Kill();
        _process.WaitForExit();
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            while (!_broken && _sockets.Count != 0)
            {
                await CallAsync("close", new JsonObject { ["name"] = _sockets[^1] });
                _sockets.RemoveAt(_sockets.Count - 1);
            }
        }
        catch (Exception e) when (e is InvalidOperationException or OperationCanceledException or IOException or JsonException)
        {
            _broken = true;
        }

        if (_process is null)
        {
            return;
        }

        if (!_broken && !_givenUp)
        {
            Idle.GetOrAdd((_kind, _answersZap), _ => []).Add(_process);
            return;
        }

        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    /// <summary>Marks the process as not reusable: something that it should wait for has not come.</summary>
    internal void GiveUp() => _givenUp = true;

    internal void Forget(string socket) => _sockets.Remove(socket);

    private static Process TakeProcess(ForeignKind kind, bool answersZap)
        => Idle.GetOrAdd((kind, answersZap), _ => []).TryTake(out Process? idle) ? idle : Start(kind);

    // Processes that wait for the next test end with this process, because their standard input ends.
    private static Process Start(ForeignKind kind) => Process.Start(Command(kind))!;

    private static ProcessStartInfo Command(ForeignKind kind) => kind switch
    {
        ForeignKind.Python => Piped("/usr/bin/python3", Path.Combine(AppContext.BaseDirectory, "peers", "python", "host.py")),
        ForeignKind.NetMq => Piped("dotnet", Repository.TestProgram("Broker.NetMqPeer"), "host"),
        _ => Piped("node", Path.Combine(NodeFolder(), "host.mjs")),
    };

    private static ProcessStartInfo Piped(string program, params string[] arguments)
        => new(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true };

    // eng/test.sh installs the packages in the source folder, which is found from the build output folder.
    private static string NodeFolder()
    {
        string relative = Path.Combine("tests", "Broker.ZeroMq.Tests", "peers", "node");
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            string candidate = Path.Combine(folder.FullName, relative);
            if (Directory.Exists(candidate))
            {
                return candidate;
            }
        }

        return relative;
    }

    private static string? FindMissing(ForeignKind kind)
    {
        if (kind is ForeignKind.Ours or ForeignKind.NetMq)
        {
            return null;
        }

        if (kind == ForeignKind.Node)
        {
            return Programs.Find("node") is null ? "node"
                : Directory.Exists(Path.Combine(NodeFolder(), "node_modules", "zeromq")) ? null
                : "the npm package zeromq";
        }

        if (!File.Exists("/usr/bin/python3"))
        {
            return "/usr/bin/python3";
        }

        using var check = Process.Start("/usr/bin/python3", ["-c", "import zmq"]);
        check.WaitForExit();
        return check.ExitCode == 0 ? null : "the Python module zmq (pyzmq over libzmq)";
    }
}
