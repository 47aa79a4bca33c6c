using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary>A command that uses the locked directory of a stopped broker.</summary>
/// <param name="Shell">The streams of the command.</param>
/// <param name="Directory">The directory.</param>
/// <param name="Folder">Its name, as the user has given it.</param>
/// <param name="Accounts">The accounts that the command is about.</param>
/// <param name="Stop">Cancelled by Ctrl+C.</param>
internal sealed record StoreRun(ShellStreams Shell, StreamsDirectory Directory, string Folder, IReadOnlyList<string> Accounts, CancellationToken Stop)
{
    /// <inheritdoc cref="StoreProgress.ShowAsync"/>
    public Task<T> WithProgressAsync<T>(string done, Func<IProgress<MaintenanceProgress>, T> operation) => StoreProgress.ShowAsync(Shell, done, operation, Stop);
}
