using System.Diagnostics;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>A libzmq socket in a child process.</summary>
internal sealed class LibzmqPeer : IDisposable
{
    private const string Python = "/usr/bin/python3";

    private static readonly Lazy<bool> HasPyzmq = new(FindPyzmq);

    private readonly Process _process;
    private readonly Inbox<string> _messages = new();
    private readonly Inbox<string> _answers = new();

    private LibzmqPeer(Process process)
    {
        _process = process;
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.BeginOutputReadLine();
    }

    /// <summary>The endpoint that the socket is bound or connected to.</summary>
    public string Endpoint { get; private set; } = "";

    public static async Task<LibzmqPeer> StartAsync(string type, string mode, string endpoint, params string[] options)
    {
        Missing.Unless(HasPyzmq.Value, "python3-zmq");
        var peer = new LibzmqPeer(Run([Path.Combine(AppContext.BaseDirectory, "peer.py"), type, mode, endpoint, .. options]));
        peer.Endpoint = (await peer._answers.TakeAsync(line => line.StartsWith("ready ", StringComparison.Ordinal)))[6..];
        return peer;
    }

    /// <summary>Sends a command and waits until it is done.</summary>
    public async Task DoAsync(string command, params byte[][] frames)
    {
        await _process.StandardInput.WriteLineAsync($"{command} {Show(frames)}");
        await _process.StandardInput.FlushAsync(TestContext.Current.CancellationToken);
        await _answers.TakeAsync(line => line == "done " + command);
    }

    /// <summary>The next message in the notation of <see cref="Show"/>.</summary>
    public Task<string> ReceiveAsync() => _messages.TakeAsync(_ => true);

    public Task<string> ReceiveAsync(Func<string, bool> which) => _messages.TakeAsync(which);

    /// <summary>
    /// The result of the command "count" after a message "END": how many messages arrived, and how many were not whole.
    /// </summary>
    public async Task<(long Count, long Broken)> CountedAsync()
    {
        string[] words = (await _answers.TakeAsync(line => line.StartsWith("counted ", StringComparison.Ordinal))).Split(' ');
        return (long.Parse(words[1], null), long.Parse(words[2], null));
    }

    public static string Show(params byte[][] frames)
        => frames.Length == 0 ? "-" : string.Join(',', frames.Select(frame => frame.Length == 0 ? "-" : Convert.ToHexStringLower(frame)));

    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
    }

    private void Take(string? line)
    {
        if (line is null)
        {
            return;
        }

        if (line.StartsWith("message ", StringComparison.Ordinal))
        {
            _messages.Add(line[8..]);
        }
        else
        {
            _answers.Add(line);
        }
    }

    private static bool FindPyzmq()
    {
        if (!File.Exists(Python))
        {
            return false;
        }

        using Process check = Run(["-c", "import zmq"]);
        check.WaitForExit();
        return check.ExitCode == 0;
    }

    private static Process Run(string[] arguments) => Process.Start(new ProcessStartInfo(Python, arguments)
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
    })!;
}
