using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth add export</c>, <c>edit export</c> and <c>remove export</c>.</summary>
internal sealed class ExportCommand(ShellStreams shell)
{
    private const string AddExamples = """
        Examples:
          broker auth add export 'plant.>' --account PLANT
              Other accounts may receive these messages.
          broker auth add export plant.reset --account PLANT --type service --private
              Accounts with an activation may send requests to this subject.
          broker auth add export 'plant.orders.*' --account PLANT --type service --token-position 3
              An account may send requests only to the subject with its own public key.
        """;

    private const string EditExamples = """
        Examples:
          broker auth edit export 'plant.alarms.>' --account PLANT --private true
              Accounts without an activation do not receive these messages any more.
        """;

    private const string RemoveExamples = """
        Examples:
          broker auth remove export 'plant.alarms.>' --account PLANT
        """;

    private readonly Argument<string> _subject = ShareFlags.Subject();
    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly ExportFlags _flags = new();

    public Command BuildAdd()
    {
        Option<string?> type = ShareFlags.Type(Shares.Stream);
        Command command = new Command("export", "Lets other accounts import a subject.").With(_subject, _account, type);
        _flags.AddTo(command);
        return AuthCommand.Complete(command, shell, AddExamples, changes: true, (run, flags) => Add(run, flags, flags.GetValue(type) ?? Shares.Stream));
    }

    public Command BuildEdit()
    {
        Option<string?> type = ShareFlags.Type("any");
        Command command = new Command("export", "Changes an export of an account. Flags that are not given leave their claims as they are.").With(_subject, _account, type);
        _flags.AddTo(command);
        return AuthCommand.Complete(command, shell, EditExamples, changes: true, (run, flags) => Change(run, flags, flags.GetValue(type), "changed", (_, export) => _flags.ApplyTo(export, flags)));
    }

    public Command BuildRemove()
    {
        Option<string?> type = ShareFlags.Type("any");
        Command command = new Command("export", "Removes an export of an account. Imports of it have no effect any more.").With(_subject, _account, type);
        return AuthCommand.Complete(
            command, shell, RemoveExamples, changes: true, (run, flags) => Change(run, flags, flags.GetValue(type), "removed", static (claims, export) => Shares.Remove(claims, Shares.Exports, export)));
    }

    private int Add(AuthRun run, ParseResult flags, string type)
    {
        string subject = Shares.CheckSubject(flags.GetRequiredValue(_subject), "the subject");
        Token account = run.Account(flags.GetValue(_account));
        if (Shares.Of(account, Shares.Exports).FirstOrDefault(e => Shares.IsService(e) == (type == Shares.Service) && Shares.SubjectOf(e) == subject) is { } same)
        {
            throw new AuthException($"account {account.Name} exports the {Shares.Describe(same)} already; 'broker auth edit export' changes it");
        }

        var export = new JsonObject { ["name"] = subject, ["subject"] = subject, ["type"] = type };
        _flags.ApplyTo(export, flags);
        JsonObject claims = account.CopyClaims();
        Shares.Add(claims, Shares.Exports, export);
        run.SignAccount(claims);
        Done.Print(shell, isJson: false, $"account {account.Name} exports the {Shares.Describe(export)}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }

    private int Change(AuthRun run, ParseResult flags, string? type, string verb, Action<JsonObject, JsonObject> change)
    {
        Token account = run.Account(flags.GetValue(_account));
        JsonObject claims = account.CopyClaims();
        JsonObject export = Shares.Find(claims, Shares.Exports, flags.GetRequiredValue(_subject), type);
        change(claims, export);
        run.SignAccount(claims);
        Done.Print(shell, isJson: false, $"{verb} the export of the {Shares.Describe(export)} of account {account.Name}; 'broker auth push' sends it to a server");
        return ExitCode.Success;
    }
}
