using System.Globalization;

namespace Broker.Cli.Configuration;

/// <summary>A value of a configuration file and where it stands. <see cref="ToString"/> is how messages quote it.</summary>
internal abstract record ConfigValue(ConfigPosition Position);

internal sealed record ConfigText(string Value, ConfigPosition Position) : ConfigValue(Position)
{
    public override string ToString() => $"\"{UserInfo.Hide(Value)}\"";
}

/// <summary>A whole number; a size suffix (<c>1k</c> = 1000, <c>1kb</c> = <c>1KiB</c> = 1024) is already applied.</summary>
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
