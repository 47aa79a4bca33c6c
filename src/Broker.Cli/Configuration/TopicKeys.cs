namespace Broker.Cli.Configuration;

/// <summary>Reads values that control the mapping of ZeroMQ topics to subjects.</summary>
internal static class TopicKeys
{
    public static string Prefix(ConfigSection section, string key, string otherwise)
        => section.Find(key) switch
        {
            null => otherwise,
            ConfigText text when SubjectPrefix.IsValid(text.Value) => text.Value,
            var value => section.Wrong(key, SubjectPrefix.Shape, value, otherwise),
        };

    public static char Character(ConfigSection section, string key, char otherwise)
        => section.Find(key) switch
        {
            null => otherwise,
            ConfigText { Value: [var c] } when char.IsAscii(c) => c,
            var value => section.Wrong(key, "one ASCII character in quotes", value, otherwise),
        };

    public static char? CharacterOrNone(ConfigSection section, string key, char? otherwise)
        => section.Find(key) switch
        {
            null => otherwise,
            ConfigText { Value: [var c] } when char.IsAscii(c) => c,
            ConfigText { Value: var word } when word.Equals("none", StringComparison.OrdinalIgnoreCase) => null,
            var value => section.Wrong(key, "one ASCII character in quotes, or none", value, otherwise),
        };
}
