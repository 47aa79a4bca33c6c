using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object put</c>.</summary>
internal sealed class ObjectPutCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker object put reports report.pdf --force
          broker object put reports --name dump < dump.sql
        """;

    private readonly Argument<string> _store = new("store") { Description = "Name of the object store" };
    private readonly Argument<string?> _file = new("file") { Description = "The file [default: standard input, with --name]", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<string?> _name = new("--name") { Description = "Name of the object [default: the file as it is given]", HelpName = "name" };
    private readonly Option<string?> _description = new("--description") { Description = "A description for people", HelpName = "text" };
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build()
    {
        Command command = new Command("put", "Puts a file into an object store. An object of this name is replaced.").With(_store, _file, _name, _description);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, Examples, PutAsync);
    }

    private async Task<int> PutAsync(StreamsRun run, ParseResult flags)
    {
        string? file = flags.GetValue(_file);
        string name = flags.GetValue(_name) ?? file ?? throw new UsageException("a file is missing; for standard input, --name is needed");
        if (file is null && !shell.IsInputRedirected)
        {
            throw new UsageException("a file is missing: give it as an argument, or its content on standard input");
        }

        await using Stream content = file is null ? shell.Input : Open(file);
        ObjectStore store = await run.Streams.GetObjectStoreAsync(flags.GetRequiredValue(_store), run.Stop);
        if (await store.FindInfoAsync(name, run.Stop) is { } before
            && !await _confirmation.IsGivenAsync(flags, $"Replace the object {name} of {ValueText.Bytes((ulong)before.Size)} in the store {store.Name}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        ObjectInfo put;
        await using (shell.ShowProgress(() => Progress(content)))
        {
            put = await store.PutAsync(name, content, new PutObjectOptions { Description = flags.GetValue(_description) }, run.Stop);
        }

        ObjectInfoCommand.Print(shell, put, flags.GetValue(_json));
        return ExitCode.Success;
    }

    private static string Progress(Stream content)
        => content is FileStream { CanSeek: true } file ? $"{ValueText.Bytes((ulong)file.Position)} of {ValueText.Bytes((ulong)file.Length)} sent" : "sending";

    private static FileStream Open(string file)
    {
        try
        {
            return new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException or NotSupportedException)
        {
            throw new IOException($"the file {file} cannot be read: {e.Message}", e);
        }
    }
}
