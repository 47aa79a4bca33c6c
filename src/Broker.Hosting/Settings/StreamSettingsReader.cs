using System.Globalization;
using Broker.Client.Streams;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Reads the settings of streams and of hosted consumers from their configuration sections.</summary>
internal static class StreamSettingsReader
{
    private const int MaxConcurrency = 256;

    /// <summary>Returns the section of the streams of a client.</summary>
    public static string SectionOf(string client)
        => client.Length == 0 ? BrokerStreamsSettings.Section : ConfigurationPath.Combine(BrokerStreamsSettings.NamedSection, client);

    /// <summary>Reads the section of streams into their settings.</summary>
    /// <exception cref="OptionsValidationException">
    /// A key is unknown, or a value is wrong. Each message contains the path of the key.
    /// </exception>
    public static void Read(IConfigurationSection section, BrokerStreamsSettings settings, string name)
    {
        var problems = new List<string>();
        SettingsReader.RejectSingleValue(section, problems);
        var keys = new SettingsSection(section, problems);
        settings.Domain = keys.ReadText(nameof(settings.Domain)) ?? settings.Domain;
        settings.ApiPrefix = keys.ReadText(nameof(settings.ApiPrefix)) ?? settings.ApiPrefix;
        settings.RequestTimeout = keys.ReadDuration(nameof(settings.RequestTimeout)) ?? settings.RequestTimeout;
        settings.AcknowledgementTimeout = keys.ReadDuration(nameof(settings.AcknowledgementTimeout)) ?? settings.AcknowledgementTimeout;
        settings.MaxPublishesInFlight = keys.ReadInteger(nameof(settings.MaxPublishesInFlight)) ?? settings.MaxPublishesInFlight;
        settings.MaxPublishBytesInFlight = keys.ReadSize(nameof(settings.MaxPublishBytesInFlight), long.MaxValue) ?? settings.MaxPublishBytesInFlight;
        settings.Tracing = keys.ReadFlag(nameof(settings.Tracing)) ?? settings.Tracing;
        keys.RejectTheRest("a client of streams");
        SettingsReader.ThrowIfAny(problems, name, typeof(BrokerStreamsSettings));
    }

    /// <summary>Reads the section of a hosted consumer into its settings.</summary>
    /// <exception cref="OptionsValidationException">
    /// A key is unknown, or a value is wrong. Each message contains the path of the key.
    /// </exception>
    public static void Read(IConfigurationSection section, BrokerConsumerSettings settings, string name)
    {
        var problems = new List<string>();
        SettingsReader.RejectSingleValue(section, problems);
        var keys = new SettingsSection(section, problems);
        settings.Stream = keys.ReadText(nameof(settings.Stream)) ?? settings.Stream;
        settings.Consumer = keys.ReadText(nameof(settings.Consumer)) ?? settings.Consumer;
        settings.Client = keys.ReadText(nameof(settings.Client)) ?? settings.Client;
        settings.CreateStream = keys.ReadName<CreationPolicy>(nameof(settings.CreateStream)) ?? settings.CreateStream;
        SettingsReader.Add(settings.Subjects, keys.ReadTexts(nameof(settings.Subjects)));
        settings.CreateConsumer = keys.ReadName<CreationPolicy>(nameof(settings.CreateConsumer)) ?? settings.CreateConsumer;
        SettingsReader.Add(settings.Filters, keys.ReadTexts(nameof(settings.Filters)));
        settings.AckWait = keys.ReadDuration(nameof(settings.AckWait)) ?? settings.AckWait;
        settings.MaxDeliver = keys.ReadInteger(nameof(settings.MaxDeliver)) ?? settings.MaxDeliver;
        settings.Concurrency = keys.ReadInteger(nameof(settings.Concurrency)) ?? settings.Concurrency;
        settings.MaxMessages = keys.ReadInteger(nameof(settings.MaxMessages)) ?? settings.MaxMessages;
        settings.MaxBytes = keys.ReadSize(nameof(settings.MaxBytes), int.MaxValue) ?? settings.MaxBytes;
        settings.ReportProgressEvery = keys.ReadDuration(nameof(settings.ReportProgressEvery)) ?? settings.ReportProgressEvery;
        settings.Acknowledge = keys.ReadName<AcknowledgePolicy>(nameof(settings.Acknowledge)) ?? settings.Acknowledge;
        settings.OnError = keys.ReadName<ConsumerErrorPolicy>(nameof(settings.OnError)) ?? settings.OnError;
        settings.OnUnreadable = keys.ReadName<ConsumerErrorPolicy>(nameof(settings.OnUnreadable)) ?? settings.OnUnreadable;
        settings.RetryDelay = keys.ReadDuration(nameof(settings.RetryDelay)) ?? settings.RetryDelay;
        settings.GiveBackOnStop = keys.ReadFlag(nameof(settings.GiveBackOnStop)) ?? settings.GiveBackOnStop;
        keys.RejectTheRest("a consumer");
        SettingsReader.ThrowIfAny(problems, name, typeof(BrokerConsumerSettings));
    }

    /// <summary>Converts the settings of streams to options.</summary>
    public static StreamsOptions ToOptions(BrokerStreamsSettings settings)
    {
        var options = new StreamsOptions();
        options = options with
        {
            Domain = settings.Domain,
            ApiPrefix = settings.ApiPrefix,
            RequestTimeout = settings.RequestTimeout ?? options.RequestTimeout,
            AcknowledgementTimeout = settings.AcknowledgementTimeout ?? options.AcknowledgementTimeout,
            MaxPublishesInFlight = settings.MaxPublishesInFlight ?? options.MaxPublishesInFlight,
            MaxPublishBytesInFlight = settings.MaxPublishBytesInFlight ?? options.MaxPublishBytesInFlight,
            Tracing = settings.Tracing,
        };
        return settings.Configurations.Aggregate(options, static (o, configure) => configure(o));
    }

    /// <summary>Checks the settings of a hosted consumer.</summary>
    /// <exception cref="OptionsValidationException">A setting is wrong. The message contains the setting's key.</exception>
    public static void Validate(BrokerConsumerSettings settings, string name)
    {
        string section = ConfigurationPath.Combine(BrokerConsumerSettings.Section, name);
        var problems = new List<string>();
        Require(!string.IsNullOrEmpty(settings.Stream), nameof(settings.Stream), settings.Stream, "the name of a stream is wanted");
        Require(
            settings.Concurrency is >= 1 and <= MaxConcurrency, nameof(settings.Concurrency), settings.Concurrency, $"a number from 1 to {MaxConcurrency} is wanted");
        Require(
            settings.MaxMessages is null || settings.MaxMessages > (settings.Concurrency == 1 ? 0 : settings.Concurrency), nameof(settings.MaxMessages),
            settings.MaxMessages, settings.Concurrency == 1 ? "at least 1 is wanted" : $"more than the concurrency, {settings.Concurrency}, is wanted");
        Require(settings.MaxBytes is null or (>= 1 and <= int.MaxValue), nameof(settings.MaxBytes), settings.MaxBytes, "a size from 1 byte to 2 GiB is wanted");
        Require(settings.MaxDeliver is null or -1 or >= 1, nameof(settings.MaxDeliver), settings.MaxDeliver, "1 or more, or -1 for no limit, is wanted");
        Require(settings.AckWait is null || settings.AckWait > TimeSpan.Zero, nameof(settings.AckWait), settings.AckWait, "a positive duration is wanted");
        Require(
            settings.ReportProgressEvery is null || settings.ReportProgressEvery >= TimeSpan.FromMilliseconds(50), nameof(settings.ReportProgressEvery),
            settings.ReportProgressEvery, "a duration of at least 50 ms is wanted");
        Require(settings.RetryDelay >= TimeSpan.Zero, nameof(settings.RetryDelay), settings.RetryDelay, "a duration that is not negative is wanted");
        Require(
            settings.CreateStream == CreationPolicy.Never || settings.Subjects.Count > 0 || settings.StreamConfigurations.Count > 0, nameof(settings.Subjects), null,
            "the subjects of the stream that is created are wanted");
        SettingsReader.ThrowIfAny(problems, name, typeof(BrokerConsumerSettings));

        void Require(bool holds, string key, object? value, string wanted)
        {
            if (!holds)
            {
                string found = value is null or "" ? "" : string.Create(CultureInfo.InvariantCulture, $", and this is {value}");
                problems.Add($"{section}:{key}: {wanted}{found}.");
            }
        }
    }
}
