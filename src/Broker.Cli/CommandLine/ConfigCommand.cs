using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Cli.Configuration;
using Broker.Cli.Effective;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.CommandLine;

/// <summary><c>broker config</c>: shows the configuration that <c>broker serve</c> would use.</summary>
internal sealed class ConfigCommand(Screen screen, ShellStreams shell)
{
    /// <summary>The name of the command that has the flags of <c>broker serve</c>.</summary>
    public const string ShowName = "show";

    private const string Examples = """
        Examples:
          broker config show -c broker.conf
        """;

    private const string ExamplesOfShow = """
        Examples:
          broker config show -c broker.conf
          broker config show -c broker.conf -p 4333 --zeromq
              The values that the file and these flags set, each with its line or its flag.
          broker config show -c broker.conf --all
              Also all defaults.
          broker config show --all --json

        Exit codes: 0; 1 if the configuration has errors, which are listed; 2 if the command line is wrong.
        """;

    private readonly ServeOptions _options = new();
    private readonly Option<bool> _all = new("--all") { Description = "Show also the settings that have their defaults" };
    private readonly Option<bool> _json = new("--json") { Description = "Print each setting as a JSON object on one line" };

    public Command Build()
    {
        var show = new Command(ShowName, "Shows the settings that broker serve would use with these flags, and where each comes from.");
        show.Options.Add(_all);
        show.Options.Add(_json);
        foreach (Option option in _options.OfService)
        {
            show.Options.Add(option);
        }

        HelpWithExamples.Add(show, ExamplesOfShow);
        show.SetAction(Show);

        var command = new Command("config", "Shows the configuration of the server.");
        command.Subcommands.Add(show);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("a command is missing: broker config show");
            return ExitCode.Usage;
        });
        return command;
    }

    private int Show(ParseResult flags)
    {
        if (CredentialFlags.Problem(_options, flags) is { } wrong)
        {
            shell.Complain(wrong);
            return ExitCode.Usage;
        }

        ConfigBlock? root = null;
        ServeSettings? settings = SettingsReport.Read(screen, everyProblem: true, "", () =>
        {
            (ServeSettings read, IReadOnlyList<ConfigProblem> warnings, root) = ServeSettingsReader.ReadWithFile(_options, flags);
            return (read, warnings);
        });
        if (settings is null)
        {
            return ExitCode.Failure;
        }

        var file = new FileSettings(root, flags.GetValue(_options.Config) ?? "");
        IEnumerable<ShownSetting> shown =
            new EffectiveSettings(new ServeSettingList(_options).All, settings, file, option => Typed(flags, option)).List();
        if (!flags.GetValue(_all))
        {
            shown = shown.Where(static setting => setting.Origin.Kind != OriginKind.Default);
        }

        if (flags.GetValue(_json))
        {
            SettingsPrinter.WriteJson(shell, shown);
        }
        else
        {
            SettingsPrinter.WriteTable(shell, shown);
        }

        return ExitCode.Success;
    }

    private static string? Typed(ParseResult flags, Option option)
        => flags.GetResult(option) is { Implicit: false } given ? (given.IdentifierToken ?? new Token(option.Name, TokenType.Option, option)).Value : null;
}
