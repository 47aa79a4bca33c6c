using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary>How far a long operation with the directory of a stopped broker is.</summary>
internal sealed class StoreProgress : IProgress<MaintenanceProgress>
{
    private readonly Lock _gate = new();
    private MaintenanceProgress _last;

    private StoreProgress()
    {
    }

    private MaintenanceProgress Last
    {
        get
        {
            lock (_gate)
            {
                return _last;
            }
        }
    }

    /// <summary>Runs a long operation on another thread and shows how far it is.</summary>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="done">The participle that the progress line ends with, such as "read".</param>
    /// <param name="operation">The operation.</param>
    /// <param name="stop">Cancelled by Ctrl+C.</param>
    public static async Task<T> ShowAsync<T>(ShellStreams shell, string done, Func<IProgress<MaintenanceProgress>, T> operation, CancellationToken stop)
    {
        var progress = new StoreProgress();
        await using (shell.ShowProgress(() => $"{ValueText.Bytes((ulong)progress.Last.Done)} of {ValueText.Bytes((ulong)progress.Last.Total)} {done}"))
        {
            return await Task.Run(() => operation(progress), stop);
        }
    }

    public void Report(MaintenanceProgress value)
    {
        lock (_gate)
        {
            _last = value;
        }
    }
}
