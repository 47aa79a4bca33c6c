using System.Diagnostics;
using System.Globalization;

namespace Broker.ZeroMqLoad.Comparing;

/// <summary>A process that is one end of a connection.</summary>
internal sealed class End : IDisposable
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    private readonly Process _process;
    private readonly TaskCompletionSource _measures = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Dictionary<string, double> _values = [];

    private End(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, e) => Note(e.Data);
    }

    /// <summary>The processor time of the process so far, in nanoseconds.</summary>
    public double Processor
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime.TotalNanoseconds;
        }
    }

    /// <summary>The resident memory of the process in bytes.</summary>
    public double Resident
    {
        get
        {
            _process.Refresh();
            return _process.WorkingSet64;
        }
    }

    public static End Start(int? core, string file, params IEnumerable<string> arguments)
    {
        string[] pinned = core is { } one && Environment.ProcessorCount > 1 ? ["taskset", "-c", one.ToString(CultureInfo.InvariantCulture), file] : [file];
        var start = new ProcessStartInfo(pinned[0], [.. pinned.Skip(1), .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        var end = new End(Process.Start(start)!);
        end._process.BeginOutputReadLine();
        return end;
    }

    /// <summary>Returns a value that the process printed.</summary>
    public double this[string name]
    {
        get
        {
            lock (_values)
            {
                return _values[name];
            }
        }
    }

    /// <summary>Returns a value that only some programs print, or NaN.</summary>
    public double Find(string name)
    {
        lock (_values)
        {
            return _values.GetValueOrDefault(name, double.NaN);
        }
    }

    /// <summary>Waits until the process has begun to measure.</summary>
    public void AwaitMeasuring() => Require(_measures.Task);

    /// <summary>
    /// Closes the input of the process, as a sign that the other end has received everything, and waits until the
    /// process has printed all its results and ended.
    /// </summary>
    public void AwaitEnd()
    {
        _process.StandardInput.Close();
        Require(_ended.Task);
        _process.WaitForExit();
        if (_process.ExitCode != 0)
        {
            throw new InvalidOperationException($"The process of an end failed with exit code {_process.ExitCode}.");
        }
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }

    private static void Require(Task task)
    {
        if (!task.Wait(Timeout))
        {
            throw new TimeoutException("The process of an end has printed nothing for two minutes.");
        }
    }

    private void Note(string? line)
    {
        if (line is null)
        {
            _measures.TrySetException(new InvalidOperationException("The process of an end exited before its measurement."));
            _ended.TrySetResult();
            return;
        }

        if (line == "measuring")
        {
            _measures.TrySetResult();
            return;
        }

        lock (_values)
        {
            foreach (string[] pair in line.Split(' ').Select(word => word.Split('=')).Where(pair => pair.Length == 2))
            {
                _values[pair[0]] = double.Parse(pair[1], CultureInfo.InvariantCulture);
            }
        }
    }
}
