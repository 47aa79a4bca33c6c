using System.Globalization;

namespace Broker.Cli.Configuration;

/// <summary>
/// A value of a configuration file and its position. <see cref="ToString"/> returns its form for error messages.
/// </summary>
internal abstract record ConfigValue(ConfigPosition Position)
{
    /// <summary>
    /// The name of the environment variable that contains the value; null if the value is in the file. Errors do not
    /// show the value of a variable, because it may be a secret.
    /// </summary>
    public string? Variable { get; init; }
}

internal sealed record ConfigText(string Value, ConfigPosition Position) : ConfigValue(Position)
{
    public override string ToString() => $"\"{UserInfo.Hide(Value)}\"";
}

/// <summary>A whole number, with the size suffix applied (<c>1k</c> = 1000, <c>1kb</c> = <c>1KiB</c> = 1024).</summary>
internal sealed record ConfigInteger(long Value, ConfigPosition Position) : ConfigValue(Position)
{
    public override string ToString() => Value.ToString(CultureInfo.InvariantCulture);
}

internal sealed record ConfigFloat(double Value, ConfigPosition Position) : ConfigValue(Position)
{
    public override string ToString() => Value.ToString(CultureInfo.InvariantCulture);
}

internal sealed record ConfigBoolean(bool Value, ConfigPosition Position) : ConfigValue(Position)
{
    public override string ToString() => Value ? "true" : "false";
}

internal sealed record ConfigArray(IReadOnlyList<ConfigValue> Items, ConfigPosition Position) : ConfigValue(Position)
{
    public override string ToString() => "an array";
}
