using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object get</c>.</summary>
internal sealed class ObjectGetCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker object get reports report.pdf
          broker object get reports report.pdf --output copy.pdf --force
          broker object get reports report.pdf --output - | wc -c
        """;

    private const string StandardOutput = "-";
    private const int BufferSize = 128 * 1024;

    private readonly Argument<string> _store = new("store") { Description = "Name of the object store" };
    private readonly Argument<string> _name = new("object") { Description = "Name of the object" };
    private readonly Option<string?> _output = new("--output", "-O")
    {
        Description = "The file to write, or - for standard output [default: the last part of the object's name]",
        HelpName = "file",
    };

    private readonly Option<bool> _force = new("--force", "-f") { Description = "Replace an existing file" };

    public Command Build() => StreamsCommand.Complete(
        new Command("get", "Writes an object to a file, which appears when the content is complete and its digest is right.").With(_store, _name, _output, _force),
        shell, Examples, GetAsync);

    private async Task<int> GetAsync(StreamsRun run, ParseResult flags)
    {
        string name = flags.GetRequiredValue(_name);
        string file = flags.GetValue(_output) ?? Path.GetFileName(name);
        if (file.Length == 0)
        {
            throw new UsageException("--output is missing, because the object's name ends with a slash");
        }

        bool replaces = flags.GetValue(_force);
        if (file != StandardOutput && File.Exists(file) && !replaces)
        {
            throw new UsageException($"the file {file} exists; --force replaces it, and --output names another one");
        }

        ObjectStore store = await run.Streams.GetObjectStoreAsync(flags.GetRequiredValue(_store), run.Stop);
        await using ObjectStream content = await store.OpenAsync(name, run.Stop);
        if (file == StandardOutput)
        {
            await CopyAsync(content, shell.Output, run.Stop);
            return ExitCode.Success;
        }

        await WriteAsync(content, file, replaces, run.Stop);
        shell.Say($"wrote {ValueText.Bytes((ulong)content.Info.Size)} to {ValueText.Of(file)}");
        return ExitCode.Success;
    }

    private async Task WriteAsync(ObjectStream content, string file, bool replaces, CancellationToken stop)
    {
        string part = $"{file}.{Guid.NewGuid():N}.part";
        try
        {
            await using (var target = new FileStream(part, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true))
            {
                await CopyAsync(content, target, stop);
            }

            File.Move(part, file, replaces);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or NotSupportedException)
        {
            throw new IOException($"the file {file} cannot be written: {e.Message}", e);
        }
        finally
        {
            File.Delete(part);
        }
    }

    private async Task CopyAsync(ObjectStream content, Stream target, CancellationToken stop)
    {
        long copied = 0;
        byte[] buffer = new byte[BufferSize];
        await using (shell.ShowProgress(() => $"{ValueText.Bytes((ulong)Volatile.Read(ref copied))} of {ValueText.Bytes((ulong)content.Length)} received"))
        {
            for (int count; (count = await content.ReadAsync(buffer, stop)) > 0;)
            {
                await target.WriteAsync(buffer.AsMemory(0, count), stop);
                Volatile.Write(ref copied, copied + count);
            }

            await target.FlushAsync(stop);
        }
    }
}
