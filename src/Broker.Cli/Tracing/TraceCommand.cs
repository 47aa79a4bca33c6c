using System.CommandLine;
using System.Text;
using Broker.Cli.Configuration;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cli.Top;
using Broker.Protocol;

namespace Broker.Cli.Tracing;

/// <summary><c>broker trace</c>: shows who would get a message, and why others would not.</summary>
internal sealed class TraceCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker trace orders.new
          broker trace orders.new -s http://127.0.0.1:8223 --account SHOP
          broker trace orders.new -c broker.conf --user ada
          broker trace orders.new --json

        With -c, the command reads permissions, mappings, imports, ZeroMQ routes and leaf nodes of a configuration file,
        and the accounts of an operator. Permissions in the JWTs of users are not in that file.
        Without -c, it asks the monitoring port of a running server (broker serve -m 8222) for the subscriptions.

        receives: yes; part (a member of a queue group, or a mapping with weights); may (if it subscribes); no.
        Exit codes: 0; 1 if nobody would get the message, or if the file or the pages cannot be read; 2 if the command
        line is wrong.
        """;

    private readonly Argument<string> _subject = new("subject") { Description = "Subject of the message, without wildcards" };
    private readonly MonitoringFlags _monitoring = new();

    private readonly Option<string?> _config = new("--config", "-c")
    {
        Description = "Configuration file to read in place of a running server",
        HelpName = "file",
    };

    private readonly Option<string?> _user = new("--user")
    {
        Description = "User that publishes; with -c, its permissions are checked",
        HelpName = "name",
    };

    private readonly Option<string?> _account = new("--account")
    {
        Description = "Account of the publisher, or its public key [default: the account of --user, otherwise the only one]",
        HelpName = "name",
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print one JSON object" };

    public Command Build()
    {
        var command = new Command("trace", "Shows who would get a message on a subject, and why others would not.");
        command.Arguments.Add(_subject);
        command.Options.Add(_config);
        command.Options.Add(_user);
        command.Options.Add(_account);
        command.Options.Add(_json);
        _monitoring.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        try
        {
            string subject = flags.GetValue(_subject)!;
            if (!Subject.IsValidLiteral(Encoding.UTF8.GetBytes(subject)))
            {
                throw new UsageException($"\"{subject}\" is not a valid subject without wildcards");
            }

            using var signals = new ShellSignals(cancellationToken);
            return flags.GetValue(_config) is { Length: > 0 } file
                ? await TraceAsync(await FileSource.OpenAsync(Read(file), signals.Stop), subject, flags, signals.Stop)
                : await AskAsync(subject, flags, signals.Stop);
        }
        catch (UsageException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Usage;
        }
        catch (ConfigException e)
        {
            foreach (ConfigProblem problem in e.Problems)
            {
                shell.Complain(problem.ToString());
            }

            return ExitCode.Failure;
        }
        catch (Exception e) when (e is ConfigUnreadableException or IOException)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }

    // Settings that a running server would ignore do not matter here.
    private static ServeSettings Read(string file)
        => ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings { IgnoreUnsupported = true });

    private async Task<int> AskAsync(string subject, ParseResult flags, CancellationToken stop)
    {
        using MonitoringReader reader = _monitoring.Open(flags);
        return await TraceAsync(await PageSource.OpenAsync(reader, stop), subject, flags, stop);
    }

    private async Task<int> TraceAsync(ITraceSource source, string subject, ParseResult flags, CancellationToken stop)
    {
        string? user = flags.GetValue(_user);
        string account = await AccountAsync(source, user, flags.GetValue(_account), stop);
        TraceReport report = await new SubjectTrace(source, new TraceReport(subject, account, user)).RunAsync(stop);
        if (flags.GetValue(_json))
        {
            TracePrinter.WriteJson(shell, report);
        }
        else
        {
            TracePrinter.WriteText(shell, report);
            foreach (string note in report.Notes)
            {
                shell.Say("broker: " + note);
            }
        }

        if (report.IsDelivered)
        {
            return ExitCode.Success;
        }

        shell.Complain($"nobody would get a message on {subject}");
        return ExitCode.Failure;
    }

    private static async Task<string> AccountAsync(ITraceSource source, string? user, string? account, CancellationToken stop)
    {
        string[] accounts = [.. source.Accounts.Select(static known => known.Name)];
        if (account is not null)
        {
            account = source.Accounts.FirstOrDefault(known => known.Is(account))?.Name
                ?? throw new UsageException($"the account \"{account}\" does not exist; there are {string.Join(", ", accounts)}");
        }

        if (user is not null)
        {
            string? of = await source.FindAccountAsync(user, stop);
            return of is null && account is null
                ? throw new UsageException($"the user \"{user}\" is not known here; name the account of the publisher with --account")
                : account is null || account == of || of is null ? account ?? of!
                : throw new UsageException($"the user \"{user}\" is in the account {of}, not in {account}");
        }

        string[] choice = [.. accounts.Where(static name => name is not (FileSource.GlobalAccount or "$SYS"))];
        return account ?? (choice.Length == 0
            ? FileSource.GlobalAccount
            : choice.Length == 1 && accounts.Length == 1 ? choice[0]
            : throw new UsageException($"name the account of the publisher with --account: {string.Join(", ", accounts)}"));
    }
}
