using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests;

/// <summary>
/// Each key of a server and of a client is read, and a value of the wrong shape is refused with its path. The tests walk
/// the properties of the settings types, so a later key cannot be forgotten.
/// </summary>
public sealed class SettingsShapeTests
{
    private static readonly Dictionary<Type, string> Examples = new()
    {
        [typeof(string)] = "\"a text\"",
        [typeof(int)] = "7",
        [typeof(long)] = "7",
        [typeof(bool)] = "true",
        [typeof(TimeSpan)] = "\"7s\"",
    };

    private static readonly (string Section, Type Type, Func<object> Create, Action<IConfigurationSection, object> Read)[] Sections =
    [
        ("Broker", typeof(BrokerSettings), static () => new BrokerSettings(), static (read, settings) => SettingsReader.Read(read, (BrokerSettings)settings)),
        ("BrokerClient", typeof(BrokerClientSettings), static () => new BrokerClientSettings(),
            static (read, settings) => SettingsReader.Read(read, (BrokerClientSettings)settings, "")),
        ("BrokerStreams", typeof(BrokerStreamsSettings), static () => new BrokerStreamsSettings(),
            static (read, settings) => StreamSettingsReader.Read(read, (BrokerStreamsSettings)settings, "")),
        ("BrokerConsumer", typeof(BrokerConsumerSettings), static () => new BrokerConsumerSettings(),
            static (read, settings) => StreamSettingsReader.Read(read, (BrokerConsumerSettings)settings, "")),
    ];

    public static TheoryData<string, string> Keys => [.. Sections.SelectMany(section => Paths(section.Type).Select(p => (section.Section, p)))];

    // A text is valid for the others, and a text in place of the permissions is the allowed subject.
    public static TheoryData<string, string> KeysWithoutText =>
    [
        .. Keys.Select(row => row.Data).Where(key =>
            TypeOf(key.Item1, key.Item2) is var type
            && type != typeof(string) && Element(type) != typeof(string) && type != typeof(BrokerSubjectSettings)),
    ];

    [Theory]
    [MemberData(nameof(Keys))]
    public void A_key_changes_its_setting(string section, string path)
    {
        string without = Describe(Read(section, "{}"));

        Assert.NotEqual(without, Describe(Read(section, Document(path, Example(section, path)))));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void A_section_in_place_of_the_value_is_refused_with_its_path(string section, string path)
        => AssertRefused(section, path, """{"Nobody":{"Knows":"this"}}""");

    [Theory]
    [MemberData(nameof(Keys))]
    public void A_list_of_lists_is_refused_with_its_path(string section, string path) => AssertRefused(section, path, """[["x"]]""");

    [Theory]
    [MemberData(nameof(KeysWithoutText))]
    public void A_text_that_cannot_be_read_is_refused_with_its_path(string section, string path)
        => AssertRefused(section, path, "\"no such value\"");

    [Theory]
    [InlineData("Broker", "Broker:Users", """{"Users":{"Name":"ada","Password":"secret"}}""")]
    [InlineData("Broker", "Broker:Users", """{"Users":"ada:secret"}""")]
    [InlineData("Broker", "Broker:Users", """{"Users":[]}""")]
    [InlineData("Broker", "Broker:Users:0:Publish:Allow", """{"Users":[{"Name":"ada","Password":"x","Publish":{"Allow":[]}}]}""")]
    [InlineData("Broker", "Broker:Users:0:Publsh", """{"Users":[{"Name":"ada","Password":"x","Publsh":"a"}]}""")]
    [InlineData("Broker", "Broker:Tls", """{"Tls":"server.pem"}""")]
    [InlineData("Broker", "Broker:Operator", """{"Operator":"operator.jwt"}""")]
    [InlineData("Broker", "Broker:Operator:PinnedAccounts", """{"Operator":{"PinnedAccounts":[]}}""")]
    [InlineData("Broker", "Broker:Operator:Resolver:Type", """{"Operator":{"Resolver":{"Type":"nats"}}}""")]
    [InlineData("Broker", "Broker:Operator:Resolver:Dir: Resolver has no such key", """{"Operator":{"Resolver":{"Dir":"x"}}}""")]
    [InlineData("Broker", "Broker:AuthCallout:AllowedAccounts", """{"AuthCallout":{"AllowedAccounts":[]}}""")]
    [InlineData("Broker", "Broker:MaxPayload", """{"MaxPayload":"2XB"}""")]
    [InlineData("Broker", "Broker:MaxPayload", """{"MaxPayload":"9999999999999"}""")]
    [InlineData("Broker", "Broker:PingInterval", """{"PingInterval":"10"}""")]
    [InlineData("Broker", "Broker:MaxPaylod: a server has no such key; did you mean MaxPayload?", """{"MaxPaylod":1}""")]
    [InlineData("BrokerStreams", "BrokerStreams:Domian: a client of streams has no such key; did you mean Domain?", """{"Domian":"hub"}""")]
    [InlineData("BrokerStreams", "BrokerStreams", "\"hub\"")]
    [InlineData("BrokerConsumer", "BrokerConsumer:Streem: a consumer has no such key; did you mean Stream?", """{"Streem":"ORDERS"}""")]
    [InlineData("BrokerConsumer", "BrokerConsumer", "\"ORDERS\"")]
    [InlineData("BrokerClient", "BrokerClient:Serves: a client has no such key; did you mean Servers?", """{"Serves":"x"}""")]
    public void A_wrong_document_is_refused_with_the_path(string section, string path, string document)
    {
        OptionsValidationException refused = Assert.Throws<OptionsValidationException>(() => Read(section, document));

        Assert.StartsWith(path, Assert.Single(refused.Failures), StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_single_value_is_a_list_of_one()
    {
        var server = (BrokerSettings)Read("Broker", """
            {"Listen":"127.0.0.1:4333","Users":[{"Name":"ada","Password":"x","Publish":"orders.>","Subscribe":{"Allow":"orders.>","Deny":"orders.secret"}}]}
            """);
        var client = (BrokerClientSettings)Read("BrokerClient", """{"Servers":"nats://127.0.0.1:4333"}""");

        Assert.Equal(["127.0.0.1:4333"], server.Listen);
        Assert.Equal(["orders.>"], server.Users[0].Publish!.Allow);
        Assert.Equal(["orders.>"], server.Users[0].Subscribe!.Allow);
        Assert.Equal(["orders.secret"], server.Users[0].Subscribe!.Deny);
        Assert.Equal(["nats://127.0.0.1:4333"], client.Servers);
    }

    [Theory]
    [InlineData("65536", 65_536)]
    [InlineData("\"65536\"", 65_536)]
    [InlineData("\"64KB\"", 65_536)]
    [InlineData("\"64K\"", 64_000)]
    [InlineData("\"2MiB\"", 2_097_152)]
    public void A_size_has_the_notation_of_the_configuration_file(string json, int size)
        => Assert.Equal(size, ((BrokerSettings)Read("Broker", $$"""{"MaxPayload":{{json}}}""")).MaxPayload);

    [Theory]
    [InlineData("30s", 30)]
    [InlineData("2m", 120)]
    [InlineData("00:00:30", 30)]
    public void A_duration_has_the_notation_of_the_configuration_file_or_of_TimeSpan(string text, int seconds)
        => Assert.Equal(TimeSpan.FromSeconds(seconds), ((BrokerSettings)Read("Broker", $$"""{"PingInterval":"{{text}}"}""")).PingInterval);

    private static void AssertRefused(string section, string path, string value)
    {
        OptionsValidationException refused = Assert.Throws<OptionsValidationException>(() => Read(section, Document(path, value)));

        Assert.All(refused.Failures, failure => Assert.StartsWith($"{section}:{path.Replace("[]", ":0", StringComparison.Ordinal)}", failure, StringComparison.Ordinal));
    }

    private static object Read(string section, string document)
    {
        IConfigurationSection read = new ConfigurationBuilder()
            .AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes($$"""{"{{section}}":{{document}}}""")))
            .Build().GetSection(section);
        (string Section, Type Type, Func<object> Create, Action<IConfigurationSection, object> Read) known = Sections.Single(s => s.Section == section);
        object settings = known.Create();
        known.Read(read, settings);
        return settings;
    }

    // Paths of all keys, such as "Tls:KeyFile" and "Users[]:Name".
    private static IEnumerable<string> Paths(Type type, string before = "") => Properties(type).SelectMany(property =>
    {
        string path = before + property.Name;
        Type inner = Element(property.PropertyType) ?? property.PropertyType;
        string next = Element(property.PropertyType) is null ? path : path + "[]";
        return inner.Namespace == typeof(BrokerSettings).Namespace && inner.IsClass ? Paths(inner, next + ":").Prepend(path) : [path];
    });

    private static IEnumerable<PropertyInfo> Properties(Type type) => type.GetProperties(BindingFlags.Public | BindingFlags.Instance);

    private static Type? Element(Type type) => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IList<>) ? type.GetGenericArguments()[0] : null;

    private static Type TypeOf(string section, string path)
    {
        Type type = Sections.Single(s => s.Section == section).Type;
        foreach (string part in path.Split(':'))
        {
            type = type.GetProperty(part.Replace("[]", "", StringComparison.Ordinal))!.PropertyType;
            type = part.EndsWith(']') ? Element(type)! : type;
        }

        return Nullable.GetUnderlyingType(type) ?? type;
    }

    private static string Example(string section, string path)
    {
        Type type = TypeOf(section, path);
        return type.IsEnum ? $"\"{Enum.GetNames(type)[^1]}\""
            : Examples.TryGetValue(type, out string? example) ? example
            : Element(type) == typeof(string) ? """["a text"]"""
            : Element(type) is { IsEnum: true } names ? $"[\"{Enum.GetNames(names)[^1]}\"]"
            : Element(type) is not null ? "[{}]"
            : type == typeof(BrokerLeafSettings) ? """{"ReconnectDelay":"7s"}"""
            : type == typeof(BrokerServerStreamsSettings) ? """{"Directory":"a text"}"""
            : type == typeof(BrokerOperatorSettings) ? """{"SystemAccount":"a text"}"""
            : type == typeof(BrokerResolverSettings) ? """{"Directory":"a text"}"""
            : type == typeof(BrokerAuthCalloutSettings) ? """{"Issuer":"a text"}"""
            : type == typeof(BrokerSubjectSettings) ? """{"Deny":["a text"]}"""
            : """{"KeyFile":"a text"}""";
    }

    private static string Document(string path, string value)
    {
        foreach (string part in path.Split(':').Reverse())
        {
            string name = part.Replace("[]", "", StringComparison.Ordinal);
            value = part.EndsWith(']') ? $$"""{"{{name}}":[{{value}}]}""" : $$"""{"{{name}}":{{value}}}""";
        }

        return value;
    }

    private static string Describe(object? value) => value switch
    {
        null => "null",
        string or ValueType => Convert.ToString(value, CultureInfo.InvariantCulture)!,
        IEnumerable list => $"[{string.Join(',', list.Cast<object>().Select(Describe))}]",
        _ => JsonSerializer.Serialize(Properties(value.GetType()).ToDictionary(p => p.Name, p => Describe(p.GetValue(value)))),
    };
}
