using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream restore</c>.</summary>
internal sealed class StoreRestoreCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream restore monday --store-dir restored
          broker stream restore monday --store-dir data --stream ORDERS

        Exit codes: 0; 1 if the backup is damaged or not complete, or the directory cannot be used or has a stream of the
        same name; 2 if the command line is wrong.
        """;

    private readonly StoredStreams _streams = new("The folder of the backup", "Restore only this stream");

    public Command Build() => new StoreCommand(shell).CompleteUnlocked(
        _streams.AddTo(new Command("restore", "Restores streams of a backup into the directory of a stopped broker, or into a new directory.")),
        Examples, RestoreAsync);

    private async Task<int> RestoreAsync(string directory, string? account, ParseResult flags, CancellationToken stop)
    {
        IReadOnlyList<CopiedStreams> copied = await StoreProgress.ShowAsync(
            shell, "handled", progress => StreamsDirectory.Restore(_streams.Folder(flags), directory, account, _streams.Stream(flags), progress, stop), stop);
        return _streams.Print(shell, copied, flags, $"restored to {directory}");
    }
}
