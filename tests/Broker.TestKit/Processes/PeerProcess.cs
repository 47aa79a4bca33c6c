using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Threading.Channels;

namespace Broker.TestKit.Processes;

/// <summary>
/// A program started by a test. Its lines are read while it runs, every wait ends with the program, with a time-out or
/// with the test, and disposing kills it with all its children. A failure shows the last it wrote to standard error.
/// </summary>
public sealed class PeerProcess : IDisposable, IAsyncDisposable
{
    private readonly string _name;
    private readonly Process _process;
    private readonly Channel<string> _lines = Channel.CreateUnbounded<string>();
    private readonly StringBuilder _errors = new();
    private readonly Task _reading;
    private bool _isDisposed;

    private PeerProcess(string name, Process process)
    {
        _name = name;
        _process = process;
        _reading = Task.WhenAll(ReadOutputAsync(), ReadErrorsAsync());
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>What the program has written to standard error so far.</summary>
    public string Errors
    {
        get
        {
            lock (_errors)
            {
                return _errors.ToString();
            }
        }
    }

    public static PeerProcess Start(string name, string program, params IEnumerable<string> arguments) =>
        Start(name, program, variable: null, arguments);

    /// <summary>Starts it with one more variable in its environment.</summary>
    public static PeerProcess Start(string name, string program, (string Name, string Value)? variable, IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (variable is var (key, value))
        {
            start.Environment[key] = value;
        }

        return new PeerProcess(name, Process.Start(start)!);
    }

    /// <summary>The next line of standard output.</summary>
    public async Task<string> ReadLineAsync(TimeSpan? patience = null) =>
        await TryReadLineAsync(patience ?? Wait.Limit) ?? throw Failure("wrote no line in time");

    /// <summary>The next line of standard output, or null when none comes in time. Fails when the program has ended.</summary>
    public async Task<string?> TryReadLineAsync(TimeSpan patience)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(patience);
        try
        {
            return await _lines.Reader.ReadAsync(timeout.Token);
        }
        catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
        {
            return null;
        }
        catch (ChannelClosedException)
        {
            // Its output is closed a moment before the process is gone; the exit code is worth that moment.
            await WaitForExitAsync();
            throw Failure("has ended and writes no more lines");
        }
    }

    /// <summary>Skips lines up to one that contains the text.</summary>
    public async Task<string> ReadLineWithAsync(string text)
    {
        for (long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds; Environment.TickCount64 < end;)
        {
            string line = await ReadLineAsync();
            if (line.Contains(text, StringComparison.Ordinal))
            {
                return line;
            }
        }

        throw Failure($"wrote no line with '{text}' in time");
    }

    public async Task WriteLineAsync(string line)
    {
        await _process.StandardInput.WriteLineAsync(line.AsMemory(), TestContext.Current.CancellationToken);
        await _process.StandardInput.FlushAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Ends standard input: a publisher closes and prints its <c>DONE</c>.</summary>
    public void EndInput() => _process.StandardInput.Close();

    /// <summary>Sends a signal by its name, such as TERM or INT.</summary>
    public void Signal(string signal)
    {
        using Process kill = StartKill(signal);
        kill.WaitForExit();
    }

    /// <summary>The same without a thread that waits.</summary>
    public async Task SignalAsync(string signal)
    {
        using Process kill = StartKill(signal);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Waits for the end and answers the exit code.</summary>
    public async Task<int> WaitForExitAsync()
    {
        try
        {
            await _process.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
            await _reading;
            return _process.ExitCode;
        }
        catch (TimeoutException)
        {
            throw Failure("did not end in time");
        }
    }

    /// <summary>An error that says what the program did last.</summary>
    public InvalidOperationException Failure(string what)
    {
        string state = _process.HasExited ? $"exit code {_process.ExitCode}" : "still running";
        return new InvalidOperationException($"{_name} {what} ({state}). It wrote to standard error:\n{Errors}");
    }

    public void Dispose()
    {
        if (Kill())
        {
            _process.WaitForExit();
            _process.Dispose();
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Kill())
        {
            await _process.WaitForExitAsync(CancellationToken.None);
            await _reading;
            _process.Dispose();
        }
    }

    // Whether that is still to be waited for: it may be disposed twice.
    private bool Kill()
    {
        if (_isDisposed)
        {
            return false;
        }

        _isDisposed = true;
        try
        {
            _process.Kill(entireProcessTree: true);
        }
        catch (InvalidOperationException)
        {
            // It has ended by itself.
        }

        return true;
    }

    private Process StartKill(string signal) => Process.Start("kill", ["-" + signal, Id.ToString(CultureInfo.InvariantCulture)]);

    private async Task ReadOutputAsync()
    {
        StreamReader output = _process.StandardOutput;
        try
        {
            while (await output.ReadLineAsync(CancellationToken.None) is { } line)
            {
                _lines.Writer.TryWrite(line);
            }
        }
        finally
        {
            // Whoever still waits for a line learns of the end also where the program was disposed of.
            _lines.Writer.Complete();
        }
    }

    private async Task ReadErrorsAsync()
    {
        const int Kept = 64 * 1024;
        StreamReader errors = _process.StandardError;
        while (await errors.ReadLineAsync(CancellationToken.None) is { } line)
        {
            lock (_errors)
            {
                _errors.AppendLine(line);
                if (_errors.Length > Kept)
                {
                    _errors.Remove(0, _errors.Length - Kept);
                }
            }
        }
    }
}
