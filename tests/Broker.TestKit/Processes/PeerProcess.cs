using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Threading.Channels;

namespace Broker.TestKit.Processes;

/// <summary>
/// A program that a test has started. Its output is read while it runs. Every wait ends with the program, with a
/// timeout or with the test. Disposing kills the program and its children. A failure shows the end of its standard
/// error.
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

    public static PeerProcess Start(string name, string program, params IEnumerable<string> arguments)
        => Start(name, program, variable: null, arguments);

    /// <summary>Starts a program with an additional environment variable.</summary>
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

    /// <summary>Reads the next line of standard output.</summary>
    public async Task<string> ReadLineAsync(TimeSpan? limit = null)
        => await TryReadLineAsync(limit ?? Wait.Limit) ?? throw Failure("wrote no line in time");

    /// <summary>
    /// Reads the next line of standard output; null after the timeout. Fails if the program has ended.
    /// </summary>
    public async Task<string?> TryReadLineAsync(TimeSpan limit)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(limit);
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
            // The output is closed a moment before the process ends. Wait for the exit code.
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

    /// <summary>Closes standard input. A publisher then closes and prints <c>DONE</c>.</summary>
    public void EndInput() => _process.StandardInput.Close();

    /// <summary>Sends a signal by its name, such as TERM or INT.</summary>
    public void Signal(string signal)
    {
        using Process kill = StartKill(signal);
        kill.WaitForExit();
    }

    /// <summary>Sends a signal without a thread that waits.</summary>
    public async Task SignalAsync(string signal)
    {
        using Process kill = StartKill(signal);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Waits for the end of the program and returns the exit code.</summary>
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

    /// <summary>Creates an error with the state and the last output of the program.</summary>
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

    // Returns false if the object has been disposed before.
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
            // The program has ended already.
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
            // A call that waits for a line ends, even if the program was disposed.
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
