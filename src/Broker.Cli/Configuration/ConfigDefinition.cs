using System.Text;

namespace Broker.Cli.Configuration;

/// <summary>
/// Converts a value to a text that is equal for values with the same meaning, independent of their positions and the
/// order of keys. The text is only for comparison, because it may contain secrets.
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
                // The length distinguishes a text with quotes from two texts.
                text.Append(System.Globalization.CultureInfo.InvariantCulture, $"{word.Length}\"{word}\"");
                break;
            default:
                text.Append(value).Append(' ');
                break;
        }
    }
}
