using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth</c>: makes the JWTs of an operator, its accounts and their users.</summary>
internal static class AuthCommands
{
    private const string Examples = """
        Examples:
          broker auth init ACME
          broker auth add account PLANT
          broker auth add user pump --account PLANT --allow-pub 'plant.>' --deny-sub '>'
          broker auth show config > accounts.conf
        """;

    public static Command Build(ShellStreams shell)
    {
        (ExportCommand exports, ImportCommand imports, ActivationCommand activations) = (new(shell), new(shell), new(shell));
        return StreamsCommand.Group(
            shell, "auth", "Makes the JWTs of an operator, its accounts and their users, and credentials files.", Examples,
            new InitCommand(shell).Build(),
            Group(
                shell, "add", "Adds an account, a user, a signing key, an export, an import or an activation.", "account",
                new AddAccountCommand(shell).Build(), new AddUserCommand(shell).Build(), new AddKeyCommand(shell).Build(),
                exports.BuildAdd(), imports.BuildAdd(), activations.BuildAdd()),
            Group(
                shell, "edit", "Changes a token and signs it again.", "account",
                new EditOperatorCommand(shell).Build(), new EditAccountCommand(shell).Build(), new EditUserCommand(shell).Build(), new EditKeyCommand(shell).Build(),
                exports.BuildEdit(), imports.BuildEdit()),
            Group(shell, "remove", "Removes an export or an import of an account.", "import", exports.BuildRemove(), imports.BuildRemove()),
            new ShowCommand(shell).Build(),
            Group(
                shell, "revoke", "Revokes a user, a signing key or an activation.", "user",
                new RevokeUserCommand(shell).Build(), new RevokeKeyCommand(shell).Build(), activations.BuildRevoke()),
            new PushCommand(shell).Build());
    }

    private static Command Group(ShellStreams shell, string name, string description, string first, params Command[] commands)
    {
        var group = new Command(name, description);
        foreach (Command command in commands)
        {
            group.Subcommands.Add(command);
        }

        Help.HelpWithExamples.Add(group, $"broker auth {name} {first} --help has examples.");
        group.SetAction(_ =>
        {
            shell.Complain($"a command is missing, such as broker auth {name} {first} (broker auth {name} --help lists the commands)");
            return ExitCode.Usage;
        });
        return group;
    }
}
