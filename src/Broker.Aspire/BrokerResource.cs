namespace Aspire.Hosting.ApplicationModel;

/// <summary>A Broker server that an app host starts: the command <c>broker serve</c>.</summary>
/// <remarks>
/// The connection string is a NATS URL, such as <c>nats://localhost:4222</c>, for <c>Broker.Client</c> and for every
/// other NATS client. <see cref="BrokerResourceBuilderExtensions.AddBroker"/> creates the resource.
/// </remarks>
public class BrokerResource : ExecutableResource, IResourceWithConnectionString
{
    internal const string NatsEndpointName = "nats";
    internal const string MonitoringEndpointName = "monitoring";
    internal const string PublishersEndpointName = "publishers";
    internal const string SubscribersEndpointName = "subscribers";

    /// <summary>Creates a resource without endpoints and arguments.</summary>
    /// <param name="name">The name of the resource.</param>
    /// <param name="command">The program to start.</param>
    /// <param name="workingDirectory">The folder in which the program starts.</param>
    public BrokerResource(string name, string command, string workingDirectory)
        : base(name, command, workingDirectory)
    {
        NatsEndpoint = new EndpointReference(this, NatsEndpointName);
        MonitoringEndpoint = new EndpointReference(this, MonitoringEndpointName);
        PublishersEndpoint = new EndpointReference(this, PublishersEndpointName);
        SubscribersEndpoint = new EndpointReference(this, SubscribersEndpointName);
    }

    /// <summary>The address for NATS clients.</summary>
    public EndpointReference NatsEndpoint { get; }

    /// <summary>The address of the monitoring pages, of <c>/metrics</c> and of <c>/healthz</c>.</summary>
    public EndpointReference MonitoringEndpoint { get; }

    /// <summary>
    /// The address to which ZeroMQ PUB sockets connect. It exists after
    /// <see cref="BrokerResourceBuilderExtensions.WithZeroMq"/>.
    /// </summary>
    public EndpointReference PublishersEndpoint { get; }

    /// <summary>
    /// The address to which ZeroMQ SUB sockets connect. It exists after
    /// <see cref="BrokerResourceBuilderExtensions.WithZeroMq"/>.
    /// </summary>
    public EndpointReference SubscribersEndpoint { get; }

    /// <summary>The URL for NATS clients, with the token or the user if the broker has one.</summary>
    public ReferenceExpression ConnectionStringExpression
    {
        get
        {
            var address = new ReferenceExpressionBuilder();
            address.AppendLiteral("nats://");
            if (Token is not null)
            {
                address.Append($"{Token:uri}@");
            }
            else if (User is not null && Password is not null)
            {
                address.Append($"{User:uri}:{Password:uri}@");
            }

            address.Append($"{NatsEndpoint.Property(EndpointProperty.HostAndPort)}");
            return address.Build();
        }
    }

    internal ParameterResource? Token { get; set; }

    internal ParameterResource? User { get; set; }

    internal ParameterResource? Password { get; set; }

    internal bool HasConfigurationFile { get; set; }

    IEnumerable<KeyValuePair<string, ReferenceExpression>> IResourceWithConnectionString.GetConnectionProperties()
        =>
        [
            new("Host", ReferenceExpression.Create($"{NatsEndpoint.Property(EndpointProperty.Host)}")),
            new("Port", ReferenceExpression.Create($"{NatsEndpoint.Property(EndpointProperty.Port)}")),
            new("Uri", ConnectionStringExpression),
        ];
}
