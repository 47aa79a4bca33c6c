using Broker.Bridge.Mapping;

namespace Broker.Cli.Configuration;

/// <summary>The keys that say how topics of ZeroMQ are written as subjects.</summary>
internal static class TopicKeys
{
    public static string Prefix(ConfigSection section, string otherwise) =>
        section.Find("prefix") switch
        {
            null => otherwise,
            ConfigText text when SubjectPrefix.IsValid(text.Value) => text.Value,
            var value => section.Wrong("prefix", SubjectPrefix.Shape, value, otherwise),
        };

    public static char Delimiter(ConfigSection section, char otherwise) => Character(section, "delimiter", otherwise);

    public static char SingleFrameDelimiter(ConfigSection section, char otherwise) => Character(section, "single_frame_delimiter", otherwise);

    /// <summary>All of them.</summary>
    public static MappingOptions Read(ConfigSection section)
    {
        var defaults = new MappingOptions { BridgeId = MappingOptions.NewId() };
        return defaults with
        {
            Prefix = Prefix(section, defaults.Prefix),
            TopicDelimiter = (byte)Delimiter(section, (char)defaults.TopicDelimiter),
            SingleFrameDelimiter = (byte)SingleFrameDelimiter(section, (char)defaults.SingleFrameDelimiter!),
            Echo = section.Flag("echo", defaults.Echo),
        };
    }

    /// <summary>Those of requests, whose subject is one for all or is made of their first frame.</summary>
    public static (string? Subject, MappingOptions? Topics) ReadSubjectOrTopics(ConfigSection section)
    {
        string? subject = section.Text("subject", null);
        if (!section.Has("prefix"))
        {
            return (subject, null);
        }

        var defaults = new MappingOptions { BridgeId = MappingOptions.NewId() };
        return (subject, defaults with
        {
            Prefix = Prefix(section, defaults.Prefix),
            TopicDelimiter = (byte)Delimiter(section, (char)defaults.TopicDelimiter),
        });
    }

    private static char Character(ConfigSection section, string key, char otherwise) =>
        section.Find(key) switch
        {
            null => otherwise,
            ConfigText { Value: [var c] } when char.IsAscii(c) => c,
            var value => section.Wrong(key, "one ASCII character in quotes", value, otherwise),
        };
}
