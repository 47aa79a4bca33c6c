using System.Globalization;
using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Effective;

/// <summary>Prints settings as a table, or each as a JSON object on one line.</summary>
internal static class SettingsPrinter
{
    // The JWT of an account has hundreds of characters, which would make each line of the table as long.
    private const int ShownOfJwt = 16;

    public static void WriteTable(ShellStreams shell, IEnumerable<ShownSetting> settings)
    {
        var table = new TextTable(3, "setting", "value", "source");
        foreach (ShownSetting setting in settings)
        {
            table.Add(setting.Key, setting.IsSecret ? "(not shown)" : Text(setting.Value), setting.Origin.ToString());
        }

        table.WriteTo(shell);
    }

    public static void WriteJson(ShellStreams shell, IEnumerable<ShownSetting> settings)
    {
        var lines = new LineOutput(shell);
        foreach (ShownSetting setting in settings)
        {
            lines.WriteJson(json => Write(json, setting));
            lines.EndLine();
        }

        lines.Flush();
    }

    private static void Write(Utf8JsonWriter json, ShownSetting setting)
    {
        json.WriteStartObject();
        json.WriteString("key", setting.Key);
        if (setting.IsSecret)
        {
            json.WriteBoolean("is_secret", true);
        }
        else
        {
            json.WritePropertyName("value");
            Write(json, setting.Value);
        }

        SettingOrigin origin = setting.Origin;
        json.WriteString("source", origin.Kind.ToString().ToLowerInvariant());
        if (origin.Name is not null)
        {
            json.WriteString("name", origin.Name);
        }

        if (origin.Position is { } at)
        {
            json.WriteString("file", at.File);
            json.WriteNumber("line", at.Line);
            json.WriteNumber("column", at.Column);
        }

        json.WriteEndObject();
    }

    private static string Text(object? value) => value switch
    {
        null => "none",
        "" => "\"\"",
        bool flag => flag ? "true" : "false",
        string { Length: > 2 * ShownOfJwt } jwt when jwt.StartsWith("eyJ", StringComparison.Ordinal)
            => string.Create(CultureInfo.InvariantCulture, $"{jwt[..ShownOfJwt]}… ({jwt.Length} characters)"),
        object?[] items => $"[{string.Join(", ", items.Select(Text))}]",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
    };

    private static void Write(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case bool flag:
                json.WriteBooleanValue(flag);
                break;
            case object?[] items:
                json.WriteStartArray();
                foreach (object? item in items)
                {
                    Write(json, item);
                }

                json.WriteEndArray();
                break;
            case int or long:
                json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case double number:
                json.WriteNumberValue(number);
                break;
            default:
                json.WriteStringValue(value.ToString());
                break;
        }
    }
}
