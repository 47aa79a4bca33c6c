using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Servers;

/// <summary>The two flags with the limits of a value.</summary>
/// <typeparam name="T">The type of the limits.</typeparam>
/// <param name="name">The name of the value.</param>
/// <param name="create">Creates the flag of a name and a description.</param>
/// <param name="what">The value in a sentence, such as "the time of a connect".</param>
/// <param name="defaults">The limits without the flags, or null for none.</param>
internal sealed class CheckLimits<T>(string name, Func<string, string, Option<T?>> create, string what, (T Warning, T Critical)? defaults)
    where T : struct, IComparable<T>
{
    private readonly Option<T?> _warning = create($"--{name}-warning", $"Warn if {what} is at least this{Default(defaults?.Warning)}");
    private readonly Option<T?> _critical = create($"--{name}-critical", $"Report a critical status if {what} is at least this{Default(defaults?.Critical)}");

    public void AddTo(Command command)
    {
        command.Options.Add(_warning);
        command.Options.Add(_critical);
    }

    /// <summary>Returns the limits of the command line.</summary>
    /// <exception cref="UsageException">The limit of a warning is above the critical one.</exception>
    public (T? Warning, T? Critical) Read(ParseResult flags)
    {
        T? warning = flags.GetValue(_warning) ?? defaults?.Warning;
        T? critical = flags.GetValue(_critical) ?? defaults?.Critical;
        return warning is { } less && critical is { } more && less.CompareTo(more) > 0
            ? throw new UsageException($"{_warning.Name} must not be above {_critical.Name}")
            : (warning, critical);
    }

    private static string Default(T? value) => value switch
    {
        null => "",
        TimeSpan time => $" [default: {time.TotalMilliseconds:0}ms]",
        _ => $" [default: {value}]",
    };
}
