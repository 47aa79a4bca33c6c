using System.Diagnostics;
using System.Globalization;

namespace Broker.ZeroMqLoad.Comparing;

/// <summary>A process that is one end of a link.</summary>
internal sealed class End : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly Process _process;
    private readonly TaskCompletionSource _measures = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Dictionary<string, double> _values = [];

    private End(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, e) => Note(e.Data);
    }

    /// <summary>Processor time of the process so far, in nanoseconds.</summary>
    public double Processor
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime.TotalNanoseconds;
        }
    }

    /// <summary>Its memory that is not paged out, in bytes.</summary>
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

    /// <summary>A value that it printed.</summary>
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

    /// <summary>Until it has begun to measure.</summary>
    public void AwaitMeasuring() => Require(_measures.Task);

    /// <summary>Until it has printed all it has to say.</summary>
    public void AwaitEnd()
    {
        Require(_ended.Task);
        _process.WaitForExit();
        if (_process.ExitCode != 0)
        {
            throw new InvalidOperationException($"An end has failed with exit code {_process.ExitCode}.");
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
        if (!task.Wait(Patience))
        {
            throw new TimeoutException("An end has said nothing for two minutes.");
        }
    }

    private void Note(string? line)
    {
        if (line is null)
        {
            _measures.TrySetException(new InvalidOperationException("An end has ended before it measured anything."));
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
