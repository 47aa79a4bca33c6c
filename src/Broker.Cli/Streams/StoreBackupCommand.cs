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

    private readonly Argument<string> _folder = new("folder") { Description = "The new folder of the backup" };
    private readonly Option<string?> _stream = StoredStreams.Only("--stream", "Back up only this stream");
    private readonly Option<bool> _json = StoredStreams.Json();

    public Command Build() => new StoreCommand(shell).Complete(
        new Command("backup", "Copies the streams of a stopped broker into a folder, with sequences, times and the progress of consumers.").With(_folder, _stream, _json),
        Examples, BackupAsync);

    private async Task<int> BackupAsync(StoreRun run, ParseResult flags)
    {
        string folder = flags.GetRequiredValue(_folder);
        string? account = run.Accounts is [var only] ? only : null;
        IReadOnlyList<CopiedStreams> copied = await run.WithProgressAsync(
            "handled", progress => run.Directory.Backup(folder, account, flags.GetValue(_stream), progress, run.Stop));
        StoredStreams.Print(shell, copied, flags.GetValue(_json), $"backed up to {folder}");
        return ExitCode.Success;
    }
}
