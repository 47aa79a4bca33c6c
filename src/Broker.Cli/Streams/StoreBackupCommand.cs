using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream backup</c>.</summary>
internal sealed class StoreBackupCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream backup monday --store-dir data
          broker stream backup monday --store-dir data --stream ORDERS

        Exit codes: 0; 1 if the directory cannot be used or is damaged, or the folder exists already; 2 if the command
        line is wrong.
        """;

    private readonly StoredStreams _streams = new("The new folder of the backup", "Back up only this stream");

    public Command Build() => new StoreCommand(shell).Complete(
        _streams.AddTo(new Command("backup", "Copies the streams of a stopped broker into a folder, with sequences, times and the progress of consumers.")),
        Examples, BackupAsync);

    private async Task<int> BackupAsync(StoreRun run, ParseResult flags)
    {
        string folder = _streams.Folder(flags);
        string? account = run.Accounts is [var only] ? only : null;
        IReadOnlyList<CopiedStreams> copied = await run.WithProgressAsync(
            "handled", progress => run.Directory.Backup(folder, account, _streams.Stream(flags), progress, run.Stop));
        return _streams.Print(shell, copied, flags, $"backed up to {folder}");
    }
}
