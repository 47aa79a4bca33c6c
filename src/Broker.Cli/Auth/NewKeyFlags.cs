using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The common flags of the commands that make a key with rights: that of a user, or a signing key with a role.</summary>
internal sealed class NewKeyFlags
{
    private readonly Option<bool> _json = AuthCommand.Json();

    public Option<string?> Account { get; } = AuthCommand.Account();

    public UserFlags Rights { get; } = new();

    public SeedFlag Seed { get; } = new();

    /// <summary>Adds the flags that stand at the end of the help: the seed and the output.</summary>
    public void AddTo(Command command)
    {
        Seed.AddTo(command);
        command.With(_json);
    }

    /// <summary>Prints the new key as a text, or as a JSON object if the flag is given.</summary>
    public void Print(ShellStreams shell, ParseResult flags, string text, params (string Name, object? Value)[] members)
        => Done.Print(shell, flags.GetValue(_json), text, members);
}
