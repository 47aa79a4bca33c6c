using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;
using Broker.Transport;

namespace Broker.Cli.Streams;

/// <summary>The flag <c>--config</c> with a file that has the configuration of a stream.</summary>
internal sealed class StreamConfigFile
{
    private const int MostCharacters = 1024 * 1024;

    private readonly Option<string?> _file = new("--config")
    {
        Description = "JSON file with the configuration, as stream info --json prints it; other flags change it",
        HelpName = "file",
    };

    public void AddTo(Command command) => command.Options.Add(_file);

    /// <summary>Returns the configuration of the file, or null if the flag is not given.</summary>
    /// <exception cref="UsageException">The file cannot be read, or is not a configuration.</exception>
    public StreamConfig? Read(ParseResult flags)
    {
        if (flags.GetValue(_file) is not { } file)
        {
            return null;
        }

        try
        {
            return StreamConfig.Parse(BoundedFile.ReadText(file, MostCharacters));
        }
        catch (Exception e) when (e is FormatException or IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"the file {file} cannot be used: {e.Message}");
        }
    }
}
