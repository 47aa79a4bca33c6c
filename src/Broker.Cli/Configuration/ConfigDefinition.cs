using System.Text;

namespace Broker.Cli.Configuration;

/// <summary>
/// A value as a text that is the same for two that mean the same: wherever they stand, and in whatever order their keys are. Secrets are in
/// it, so it is for comparison alone.
/// </summary>
internal static class ConfigDefinition
{
    public static string Of(ConfigValue value)
    {
        var text = new StringBuilder();
        Append(text, value);
        return text.ToString();
    }

    private static void Append(StringBuilder text, ConfigValue value)
    {
        switch (value)
        {
            case ConfigBlock block:
                text.Append('{');
                foreach (ConfigEntry entry in block.Entries.OrderBy(e => e.Key, StringComparer.OrdinalIgnoreCase))
                {
                    text.Append(entry.Key.ToUpperInvariant()).Append(':');
                    Append(text, entry.Value);
                }

                text.Append('}');
                break;
            case ConfigArray array:
                text.Append('[');
                foreach (ConfigValue item in array.Items)
                {
                    Append(text, item);
                }

                text.Append(']');
                break;
            case ConfigText { Value: var word }:
                // The length keeps a text that has quotes in it from looking like two.
                text.Append(System.Globalization.CultureInfo.InvariantCulture, $"{word.Length}\"{word}\"");
                break;
            default:
                text.Append(value).Append(' ');
                break;
        }
    }
}
