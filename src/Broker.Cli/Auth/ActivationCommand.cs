using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth add activation</c> and <c>revoke activation</c>.</summary>
internal sealed class ActivationCommand(ShellStreams shell)
{
    private const string AddExamples = """
        Examples:
          broker auth add activation 'plant.audit.>' --account PLANT --to OFFICE
              Writes the file OFFICE.activation, for --activation of 'broker auth add import'.
          broker auth add activation 'plant.audit.>' --account PLANT --to AB7T7JEMVCCWPAJUQQX2ORLPH3HFHKL7QQ5WCAMF3EAKYTSGPR2JANEU --expires 90d --out partner.activation
        """;

    private const string RevokeExamples = """
        Examples:
          broker auth revoke activation 'plant.audit.>' --account PLANT --to OFFICE
              All activations of this account up to now. 'broker auth add activation' makes a new one.
          broker auth revoke activation 'plant.audit.>' --account PLANT --to '*'
              All activations of all accounts up to now.
        """;

    private readonly Argument<string> _subject = ShareFlags.Subject();
    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly Option<string?> _type = ShareFlags.Type("that of the export");

    public Command BuildAdd()
    {
        Option<string> to = ShareFlags.To();
        var expiry = new ExpiryFlag();
        var file = new Option<string?>("--out", "-o") { Description = "File to write [default: NAME.activation]", HelpName = "file" };
        Command command = new Command("activation", "Writes a file that permits another account to import a private export.").With(_subject, _account, to, _type);
        expiry.AddTo(command);
        command.With(file);
        return AuthCommand.Complete(command, shell, AddExamples, changes: false, (run, flags) => Add(run, flags, flags.GetRequiredValue(to), expiry.Find(flags), flags.GetValue(file)));
    }

    public Command BuildRevoke()
    {
        Option<string> to = ShareFlags.To(", or * for all");
        Command command = new Command("activation", "Revokes the activations of an account. Its import has no effect any more.").With(_subject, _account, to, _type);
        return AuthCommand.Complete(command, shell, RevokeExamples, changes: true, (run, flags) => Revoke(run, flags, flags.GetRequiredValue(to)));
    }

    private int Add(AuthRun run, ParseResult flags, string to, long? expires, string? file)
    {
        string subject = Shares.CheckSubject(flags.GetRequiredValue(_subject), "the subject");
        Token account = run.Account(flags.GetValue(_account));
        JsonObject export = Activation.FindExport(account, subject, flags.GetValue(_type));
        if (!Token.IsTrue(export, "token_req"))
        {
            throw new AuthException($"the export of the {Shares.Describe(export)} needs no activation: it is not private");
        }

        string importer = Activation.Importer(run, to, mayBeAll: false);
        string name = AuthFile.PathOf(file, to, ".activation") ?? throw new UsageException("--out is missing: the file of the activation, because the name of the account is no name of a file");
        AuthFile.Write(name, Activation.Sign(run, account, export, subject, importer, expires).Text + "\n");
        Done.Print(shell, isJson: false, $"the activation of the {Token.TextOf(export, "type")} {subject} for account {to} is {name}");
        return ExitCode.Success;
    }

    private int Revoke(AuthRun run, ParseResult flags, string to)
    {
        Token account = run.Account(flags.GetValue(_account));
        JsonObject claims = account.CopyClaims();
        JsonObject export = Shares.Find(claims, Shares.Exports, flags.GetRequiredValue(_subject), flags.GetValue(_type));
        Activation.Revoke(export, Activation.Importer(run, to, mayBeAll: true));
        run.SignAccount(claims);
        Done.Print(shell, isJson: false, $"revoked the activations of the {Shares.Describe(export)} for {(to == "*" ? "all accounts" : $"account {to}")}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }
}
