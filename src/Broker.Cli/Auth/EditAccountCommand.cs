using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth edit account</c>.</summary>
internal sealed class EditAccountCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth edit account PLANT --conns 100
          broker auth edit account PLANT --conns -1 --expires never
          broker auth edit account PLANT --allow-pub 'plant.>'
              Replaces this list of the permissions for users without own ones. An empty text removes the list.
        """;

    private readonly Argument<string> _name = new("name") { Description = "Name or public key of the account" };
    private readonly AccountFlags _flags = new();

    public Command Build()
    {
        Command command = new Command("account", "Changes an account. Flags that are not given leave their claims as they are.").With(_name);
        _flags.AddTo(command);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Edit);
    }

    private int Edit(AuthRun run, ParseResult flags)
    {
        JsonObject claims = run.Account(flags.GetRequiredValue(_name)).CopyClaims();
        _flags.ApplyTo(claims, flags);
        Token changed = run.SignAccount(claims);
        Done.Print(shell, isJson: false, $"changed account {changed.Name}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }
}
