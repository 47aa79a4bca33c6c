using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth add import</c>, <c>edit import</c> and <c>remove import</c>.</summary>
internal sealed class ImportCommand(ShellStreams shell)
{
    private const string AddExamples = """
        Examples:
          broker auth add import 'plant.alarms.>' --account OFFICE --from PLANT
              If the export is private, this signs the activation too, as long as the store has the seed of PLANT.
          broker auth add import plant.valve --account OFFICE --from PLANT --local valve
              Users of OFFICE send their requests to the subject valve.
          broker auth add import 'plant.audit.>' --account OFFICE --from PLANT --activation office.activation
              The administrator of PLANT has made this file with 'broker auth add activation'.
        """;

    private const string EditExamples = """
        Examples:
          broker auth edit import 'plant.>' --account OFFICE --local 'factory.>'
          broker auth edit import 'plant.>' --account OFFICE --local ''
              The subject is again the one of the exporter.
        """;

    private const string RemoveExamples = """
        Examples:
          broker auth remove import 'plant.>' --account OFFICE
        """;

    private readonly Argument<string> _subject = ShareFlags.Subject();
    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly Option<string?> _name = new("--name") { Description = "Name of the import, for readers [default: the subject]", HelpName = "name" };
    private readonly Option<string?> _local = new("--local") { Description = "Subject in the own account, with the same wildcards; an empty text is the subject of the exporter", HelpName = "subject" };
    private readonly Option<string?> _activation = new("--activation") { Description = "File with the activation, which an import of a private export needs", HelpName = "file" };
    private readonly Option<bool?> _share = StorageFlags.Switch("--share", "Whether a service receives more about the requester than its account");

    public Command BuildAdd()
    {
        Option<string?> type = ShareFlags.Type("that of the export");
        Option<string?> from = ShareFlags.From();
        from.Required = true;
        Command command = new Command("import", "Lets an account use a subject that another account exports.")
            .With(_subject, _account, from, type, _local, _activation, _name, _share);
        return AuthCommand.Complete(command, shell, AddExamples, changes: true, (run, flags) => Add(run, flags, flags.GetRequiredValue(from)!, flags.GetValue(type)));
    }

    public Command BuildEdit() => BuildChange(
        "Changes an import of an account. Flags that are not given leave their claims as they are.", EditExamples, "changed",
        Apply, _local, _activation, _name, _share);

    public Command BuildRemove() => BuildChange(
        "Removes an import of an account.", RemoveExamples, "removed", static (_, claims, import) => Shares.Remove(claims, Shares.Imports, import));

    private Command BuildChange(string description, string examples, string verb, Action<ParseResult, JsonObject, JsonObject> change, params Option[] more)
    {
        Option<string?> type = ShareFlags.Type("any");
        Option<string?> from = ShareFlags.From(" [default: any]");
        Command command = new Command("import", description).With(_subject, _account, from, type).With(more);
        return AuthCommand.Complete(command, shell, examples, changes: true, (run, flags) =>
        {
            Token account = run.Account(flags.GetValue(_account));
            JsonObject claims = account.CopyClaims();
            JsonObject import = Shares.Find(
                claims, Shares.Imports, flags.GetRequiredValue(_subject), flags.GetValue(type), flags.GetValue(from) is { } name ? run.KeyOfAccount(name) : null);
            change(flags, claims, import);
            run.SignAccount(claims);
            Done.Print(shell, isJson: false, $"{verb} the import of the {Shares.Describe(import)} of account {account.Name}; 'broker auth push' sends it to a server");
            return ExitCode.Success;
        });
    }

    private int Add(AuthRun run, ParseResult flags, string from, string? type)
    {
        string subject = Shares.CheckSubject(flags.GetRequiredValue(_subject), "the subject");
        Token account = run.Account(flags.GetValue(_account));
        string exporter = run.KeyOfAccount(from);
        if (exporter == account.Subject)
        {
            throw new UsageException("--from must be another account than --account");
        }

        var import = new JsonObject { ["name"] = subject, ["subject"] = subject, ["type"] = type ?? Shares.Stream, ["account"] = exporter };
        if (run.Store.AllAccounts().Find(a => a.Subject == exporter) is { } known)
        {
            JsonObject export = Activation.FindExport(known, subject, type);
            import["type"] = Token.TextOf(export, "type");
            CheckPosition(account, export, subject);
            if (Token.IsTrue(export, "token_req") && flags.GetValue(_activation) is null)
            {
                import["token"] = Activation.Sign(run, known, export, subject, account.Subject, expires: null).Text;
            }
        }

        if (Shares.Of(account, Shares.Imports).Any(i => Shares.SubjectOf(i) == subject && Token.TextOf(i, "account") == exporter && Shares.IsService(i) == Shares.IsService(import)))
        {
            throw new AuthException($"account {account.Name} imports the {Shares.Describe(import)} already; 'broker auth edit import' changes it");
        }

        JsonObject claims = account.CopyClaims();
        Shares.Add(claims, Shares.Imports, import);
        Apply(flags, claims, import);
        run.SignAccount(claims);
        Done.Print(
            shell, isJson: false,
            $"account {account.Name} imports the {Shares.Describe(import)}{(Token.TextOf(import, "local_subject") is { } local ? $" as {local}" : "")} of {from}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }

    private void Apply(ParseResult flags, JsonObject claims, JsonObject import)
    {
        if (flags.GetValue(_name) is { } name)
        {
            import["name"] = Names.Check(name, "--name");
        }

        if (flags.GetValue(_local) is { } local)
        {
            SetLocal(import, local);
        }

        if (flags.GetValue(_activation) is { } file)
        {
            Token activation = AuthFile.ReadToken(file);
            if (Activation.WhyNot(activation, import, Token.TextOf(claims, "sub")!) is { } why)
            {
                throw new AuthException($"the activation in {file} cannot be used: {why}");
            }

            import["token"] = activation.Text;
        }

        if (flags.GetValue(_share) is { } shares)
        {
            import["share"] = Shares.IsService(import) ? shares : throw new UsageException("--share needs the import of a service");
        }

        CheckLocal(claims, import);
    }

    private static void SetLocal(JsonObject import, string local)
    {
        // Older tokens say it with another claim.
        import.Remove("to");
        if (local.Length == 0)
        {
            import.Remove("local_subject");
            return;
        }

        string subject = Shares.SubjectOf(import);
        if (Shares.WildcardsOf(Shares.CheckSubject(local, "--local")) != Shares.WildcardsOf(subject))
        {
            throw new UsageException($"--local must have the same wildcards in the same order as {subject}");
        }

        import["local_subject"] = local;
    }

    // A request to a subject of two services would receive two responses.
    private static void CheckLocal(JsonObject claims, JsonObject import)
    {
        if (Shares.IsService(import)
            && ((JsonArray)Token.Inner(claims, "nats")[Shares.Imports]!).OfType<JsonObject>().FirstOrDefault(i => i != import && Shares.IsService(i) && Overlap(LocalOf(i), LocalOf(import))) is { } other)
        {
            throw new AuthException($"the import of the {Shares.Describe(other)} has the subject {LocalOf(other)} already; --local chooses another one");
        }
    }

    private static string LocalOf(JsonObject import) => Token.TextOf(import, "local_subject") is { Length: > 0 } local ? local : Shares.SubjectOf(import);

    private static bool Overlap(string one, string other) => Shares.Covers(one, other) || Shares.Covers(other, one);

    // The importer must name itself in the subject.
    private static void CheckPosition(Token account, JsonObject export, string subject)
    {
        int position = (int)Token.NumberOf(export, "account_token_position");
        string[] tokens = subject.Split('.');
        if (position > 0 && tokens[position - 1] != account.Subject)
        {
            tokens[position - 1] = account.Subject;
            throw new AuthException($"the export {Shares.SubjectOf(export)} needs the public key of the importer in the subject: {string.Join('.', tokens)}");
        }
    }
}
