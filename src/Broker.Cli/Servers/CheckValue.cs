using System.Globalization;

namespace Broker.Cli.Servers;

/// <summary>A measured value with the limits from which on it is a problem.</summary>
/// <param name="Name">The name in the line for the monitoring system.</param>
/// <param name="Value">The value.</param>
/// <param name="Unit">The unit of Nagios's plugins: ms, B, % or nothing.</param>
/// <param name="Warning">The value from which on the status is a warning, or null.</param>
/// <param name="Critical">The value from which on the status is critical, or null.</param>
internal sealed record CheckValue(string Name, double Value, string Unit, double? Warning, double? Critical)
{
    public CheckStatus Status => Value >= Critical ? CheckStatus.Critical : Value >= Warning ? CheckStatus.Warning : CheckStatus.Ok;

    /// <summary>The value for people, such as "rtt 0.2 ms".</summary>
    public string Text => string.Create(CultureInfo.InvariantCulture, $"{Name} {Value:0.###}{(Unit.Length == 0 ? "" : " ")}{Unit}");

    /// <summary>The value in the format of performance data: name=value[unit];warning;critical.</summary>
    public string Data => string.Create(CultureInfo.InvariantCulture, $"{Name}={Value:0.###}{Unit};{Warning:0.###};{Critical:0.###}");
}
